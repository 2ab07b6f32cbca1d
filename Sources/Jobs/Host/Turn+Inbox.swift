import Core
import JSON

extension Turn {
  /// The messages that one turn takes.
  private static let mostMessages = 500

  /// Does what other machines have received for this one. Returns false if there is more.
  mutating func takeInbox() async throws -> Bool {
    let messages = try await store.messages(limit: Self.mostMessages)
    for message in messages {
      guard message.isSealed else {
        try await store.removeMessage(message.id)
        refuse(message)
        continue
      }
      receivedAt = message.received
      defer { receivedAt = nil }
      var answer = JSON.null
      if let error = try await alone({ answer = try await $0.take(message) }) {
        let failure = error as? any Failure
        answer = .object([
          "error": RunError(
            code: failure?.code ?? "host_error", message: failure?.message ?? "\(error)", hint: failure?.hint
          ).json
        ])
        if message.kind != .command {
          log(.error, "a request that \(message.machine.displayable) received is lost: \(error)")
        }
      }
      try await store.answer(message, answer)
    }
    return messages.count < Self.mostMessages
  }

  /// Tells of a message that no machine has sent: somebody else has written it into the database.
  private mutating func refuse(_ message: JobStore.Message) {
    store.damaged.note(
      JobError(
        "not_sealed",
        "a message in the name of the machine \(message.machine.displayable.clipped(to: 100)) has not been sealed with the "
          + "key of the machines; such messages are removed",
        hint: "see who can write to the database"), at: store.place)
  }

  private mutating func take(_ message: JobStore.Message) async throws -> JSON {
    switch message.kind {
    case .hook: _ = try await received(message.job, message.content, ids: [], isTaken: true)
    case .wait: _ = try await receivedWait(message.job, message.content)
    case .command: return try await answer(message.content)
    case .process: return try await takeProcess(message.content)
    case .stop: break
    }
    return .null
  }
}
