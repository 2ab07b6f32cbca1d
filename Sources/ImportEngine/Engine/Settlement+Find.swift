import TaskAPI

/// Settling by a function that finds the tasks of rows.
extension Settlement {
  /// Looks for the tasks of all rows at once. Returns true if some of them are there. Without them, the import stops if
  /// `mustStopUnlessFound` is true.
  func lookUp(by find: @escaping ImportEngine.FindRows, mustStopUnlessFound: Bool) async throws -> Bool {
    let sought = rows.map { KeyedDraft($0.draft, key: ledger.keys.key(ofSent: $0), isAgain: true) }
    let results: [Result<AddedTask?, any Error>]
    do { results = try await ask { try await find(sought) } } catch let error as TaskAPIError
      where Verdict(error).meansNoList
    {
      try await leaveUnsettled(because: "the list of tasks cannot be read: \(error.message)")
      return false
    } catch { throw error.ofListing }
    let hasFound = results.contains { if case .success(nil) = $0 { false } else { true } }
    // The import is about to stop: the next run looks again.
    if state.isStopping || mustStopUnlessFound && !hasFound { return false }
    let judged = rows
    rows = []
    var missing: [QueuedRow] = []
    for (row, result) in zip(judged, results) {
      switch result {
      case .success(let added?):
        ledger.noteLost(row, added)
        ledger.added(row, added.reference)
      case .success(nil): missing.append(row)
      case .failure(let error): try await keep(row, error)
      }
    }
    try await sendAgain(missing)
    return hasFound
  }

  /// The task is there, and its last step failed: it is tried again with the next look.
  private func keep(_ row: QueuedRow, _ error: any Error) async throws {
    row.lastError = error
    row.search.timesMissed += 1
    switch Verdict(error) {
    case .again, .unknown, .renew:
      if row.search.timesMissed < Self.mostMisses { return rows.append(row) }
    case .refused, .doubtful, .unclear, .stop: break
    }
    try await ledger.leaveUnsettled(row, because: "the task of the row is not complete")
  }

  private func sendAgain(_ missing: [QueuedRow]) async throws {
    var sent: [QueuedRow] = []
    for row in missing {
      if row.search.timesMissed < Self.mostMisses {
        row.search.timesMissed += 1
        ledger.absent(row)
        sent.append(row)
      } else if let error = row.lastError {
        try await ledger.fail(row, error)
      } else {
        try await ledger.leaveUnsettled(row, because: "the service has never had it, however often it was sent")
      }
    }
    try await ledger.requeue(sent)
  }
}
