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
        store.refuse(message)
        continue
      }
      receivedAt = message.received
      defer { receivedAt = nil }
      var answer = JSON.null
      if let error = try await alone({ answer = try await $0.take(message) }) {
        if message.content["end"] != nil, let run = message.content["run"]?.lenientInteger {
          try await giveUp(run, error)
        }
        let failure = error as? any Failure
        answer = .object([
          "error": RunError(
            code: failure?.code ?? "host_error", message: failure?.message ?? "\(error)", hint: failure?.hint
          ).json
        ])
        if message.kind == .hook || message.kind == .wait {
          answer = .null
          log(.error, "a request that \(message.machine.displayable) received is lost: \(error)")
        }
      }
      try await store.answer(message, answer)
    }
    return messages.count < Self.mostMessages
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
