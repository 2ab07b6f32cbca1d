import Core
import JSON
import TaskAPI

extension ImportEngine {
  /// The row has failed for its own sake, unless the handler says otherwise.
  func fail(_ row: QueuedRow, _ error: any Error) async throws {
    let failure = error as? any Failure
    try await fail(
      row.failure(
        code: failure?.code ?? "unknown", reason: failure?.message ?? String(describing: error),
        status: failure?.status), row)
  }

  func fail(_ failure: RowFailure, _ row: QueuedRow) async throws {
    let decision: FailureDecision
    do { decision = try await decide(failure) } catch {
      record(failure, row)
      throw error
    }
    switch decision {
    case .keep:
      record(failure, row)
    case .skip:
      report.skipped += 1
      settle(row.journalRow, .skipped)
    case .stop:
      record(failure, row)
      stop(.endedByHandler(failure))
    case .change(let draft):
      try await change(row, failure, draft)
    }
  }

  private func decide(_ failure: RowFailure) async throws -> FailureDecision {
    guard let onRowFailed else { return .keep }
    return try await reporting.pass { try await onRowFailed(failure) }
  }

  private func record(_ failure: RowFailure, _ row: QueuedRow) {
    report.failed += 1
    statistics.failed(failure)
    onFailure?(failure)
    keep(failure)
    settle(row.journalRow, .failed(failure.journalled))
    if let most = options.maximumFailures, report.failed > most { stop(.tooManyFailures(most, failure)) }
  }

  func keep(_ failure: RowFailure) {
    if report.failures.count < ImportReport.maximumFailures { report.failures.append(failure) }
  }

  /// A changed row is a new one to the server, and to the journal.
  private func change(_ row: QueuedRow, _ failure: RowFailure, _ draft: TaskDraft) async throws {
    guard case .task(let draft) = RowDraft(draft), row.changes < Self.mostChanges else { return record(failure, row) }
    row.change(to: draft)
    try await sendAnew([row])
    // All workers may be waiting by now, and the intake for them.
    admit()
  }

  /// Nobody can tell whether the row was added.
  func leaveUnsettled(_ row: QueuedRow, because reason: String) async throws {
    let cause = row.lastError as? any Failure
    let failure = row.failure(
      code: cause?.code ?? "unsettled", reason: cause.map { "\($0.message): \(reason)" } ?? reason,
      status: cause?.status, isUnsettled: true)
    report.unsettled += 1
    keep(failure)
    settle(row.journalRow, .unsettled(failure.journalled))
    if case .stop = try await decide(failure) { stop(.endedByHandler(failure)) }
  }

  /// Rows that failed for what might have been the server's fault, now that another got through or all are done: it was
  /// theirs. Where none ever got through, nobody knows.
  func settleDoubtful() async throws {
    guard stopReason == nil, let last = doubtful.last else { return }
    guard report.added > report.addedBefore else { return stop(.stopped(by: last.error, at: last.row.record)) }
    let rows = doubtful
    doubtful = []
    for (row, error) in rows { try await fail(row, error) }
  }

  /// A handler that changes a row again and again and never to something that is taken shall not go on for ever.
  private static let mostChanges = 10
}

extension RowFailure {
  fileprivate var journalled: JournalFailure { JournalFailure(self, content: original?.encoded()) }
}

extension Error where Self == ImportError {
  fileprivate static func endedByHandler(_ failure: RowFailure) -> ImportError {
    ImportError(
      kind: .stopped, message: "the import was stopped at row \(failure.row) by its on_row_failed: \(failure.reason)",
      line: failure.line, status: failure.status, details: ["cause": failure.code])
  }

  fileprivate static func tooManyFailures(_ most: Int, _ failure: RowFailure) -> ImportError {
    ImportError(
      kind: .stopped,
      message: "the import stopped at row \(failure.row) because \(counted(most + 1, "row")) "
        + "\(most == 0 ? "has" : "have") failed, and \(most == 0 ? "none" : "\(most)") may: \(failure.reason)",
      line: failure.line, status: failure.status, details: ["cause": failure.code])
  }
}
