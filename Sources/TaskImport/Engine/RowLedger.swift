import Core
import HostLoop
import JSON
import TaskAPI

/// Records what becomes of each row, in the journal and in the report.
///
/// A row gets into the queue after it was journaled, so that no row is sent that the journal does not know.
@HostActor
final class RowLedger {
  let journal: ImportJournal
  let queue = RowQueue()
  var report = ImportReport()
  /// Told of each failed row, one at a time; decides what becomes of the row.
  var onRowFailed: (@HostActor (RowFailure) async throws -> FailureDecision)?
  private let run: RunState
  private let reporting = Turnstile()

  /// Limit for a handler that changes a row again and again, and never to a task that the server takes.
  private static let mostChanges = 10

  init(_ journal: ImportJournal, _ run: RunState) {
    self.journal = journal
    self.run = run
  }

  /// True if the journal has no row yet, or all rows are to be imported once more.
  var isNew: Bool { journal.isNew || run.options.resume == .no }

  // MARK: Rows to be sent

  /// Journals rows, and queues those that are to be sent.
  func enqueue(_ rows: [QueuedRow], journaling journalRows: [JournalRow]) async throws {
    try await journal.willSend(journalRows)
    queue.append(rows)
  }

  /// Puts rows at the head of the queue that are certainly not on the server, or may be there twice. They are journaled
  /// together, because each time waits for the disk.
  func requeue(_ rows: [QueuedRow]) async throws {
    if !run.options.isDryRun, !rows.isEmpty { try await journal.willSend(rows.map(\.journalRow)) }
    for row in rows {
      row.isUnknown = false
      row.attempts = 0
      row.sentHash = row.textHash
    }
    queue.requeue(rows)
  }

  // MARK: Outcomes

  func added(_ row: QueuedRow) {
    report.added += 1
    settle(row.journalRow, .added)
  }

  func skipped(_ row: QueuedRow) {
    report.skipped += 1
    settle(row.journalRow, .skipped)
  }

  /// The list of tasks shows that a sent row was not added.
  func absent(_ row: QueuedRow) { settle(row.journalRow, .absent) }

  /// The row was not sent. The next run sends it.
  func abandon(_ row: QueuedRow) {
    report.unsent += 1
    settle(row.journalRow, .notSent)
  }

  /// Records a row that is not sent, because of its draft.
  func withhold(_ record: SourceRecord, _ draft: RowDraft) async throws {
    switch draft {
    case .task: break
    case .skipped:
      report.skipped += 1
      settle(record.journalRow, .skipped)
    case .unusable(let code, let reason, let text):
      let row = QueuedRow(record, TaskDraft(text: text))
      try await fail(row, row.failure(code: code, reason: reason))
    }
  }

  /// The row has failed for its own sake, unless the handler says otherwise.
  func fail(_ row: QueuedRow, _ error: any Error) async throws {
    let failure = error as? any Failure
    try await fail(
      row,
      row.failure(
        code: failure?.code ?? "unknown", reason: failure?.message ?? String(describing: error),
        status: failure?.status))
  }

  private func fail(_ row: QueuedRow, _ failure: RowFailure) async throws {
    let decision: FailureDecision
    do { decision = try await decide(failure) } catch {
      record(row, failure)
      throw error
    }
    switch decision {
    case .keep: record(row, failure)
    case .skip: skipped(row)
    case .stop:
      record(row, failure)
      run.stop(.endedByHandler(failure))
    case .change(let draft):
      guard case .task(let draft) = RowDraft(draft), row.changes < Self.mostChanges else { return record(row, failure) }
      // A changed row is a new one to the server and to the journal.
      row.change(to: draft)
      try await requeue([row])
    }
  }

  /// Nobody can tell whether the row was added.
  func leaveUnsettled(_ row: QueuedRow, because reason: String) async throws {
    let cause = row.lastError as? any Failure
    let failure = row.failure(
      code: cause?.code ?? "unsettled", reason: cause.map { "\($0.message): \(reason)" } ?? reason,
      status: cause?.status, isUnsettled: true)
    report.unsettled += 1
    report.keep(failure)
    settle(row.journalRow, .unsettled(failure.journaled))
    if case .stop = try await decide(failure) { run.stop(.endedByHandler(failure)) }
  }

  private func decide(_ failure: RowFailure) async throws -> FailureDecision {
    guard let onRowFailed else { return .keep }
    return try await reporting.pass { try await onRowFailed(failure) }
  }

  private func record(_ row: QueuedRow, _ failure: RowFailure) {
    report.failed += 1
    run.statistics.failed(failure)
    run.emit(.failed(failure))
    report.keep(failure)
    settle(row.journalRow, .failed(failure.journaled))
    if let most = run.options.maximumFailures, report.failed > most { run.stop(.tooManyFailures(most, failure)) }
  }

  private func settle(_ row: JournalRow, _ outcome: RowOutcome) {
    if !run.options.isDryRun { journal.settle(row, outcome) }
  }
}

extension ImportReport {
  fileprivate mutating func keep(_ failure: RowFailure) {
    if failures.count < Self.maximumFailures { failures.append(failure) }
  }
}

extension RowFailure {
  fileprivate var journaled: JournalFailure { JournalFailure(self, content: original?.encoded()) }
}

extension Error where Self == ImportError {
  fileprivate static func endedByHandler(_ failure: RowFailure) -> ImportError {
    ImportError(
      kind: .stopped, message: "on_row_failed stopped the import at row \(failure.row): \(failure.reason)",
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
