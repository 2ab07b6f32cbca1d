import JSON

extension Turn {
  /// The messages that one turn takes.
  private static let mostMessages = 500

  /// Does what other machines have received for this one. Returns false if there is more.
  mutating func takeInbox() async throws -> Bool {
    let messages = try await store.messages(limit: Self.mostMessages)
    for message in messages {
      receivedAt = message.received
      defer { receivedAt = nil }
      let before = (model, effects)
      var answer: JSON
      do { answer = try await take(message) } catch let error as JobError {
        (model, effects) = before
        answer = .object([
          "error": RunError(code: error.code, message: error.message, hint: error.hint).json
        ])
        if message.kind != .command { log(.error, "a request that \(message.machine) received is lost: \(error)") }
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
