import Core
import HostLoop
import ImportFormats
import JSON
import TaskAPI

/// Records the outcome of each row, in the journal and in the report. A row enters the queue after it was journaled, so
/// that the journal knows every row that is sent.
@HostActor
final class RowLedger {
  let journal: any RowJournal
  let history: any ImportHistory
  let keys: IdempotencyKeys
  let queue = RowQueue()
  var report = ImportReport()
  var onRowFailed: (@HostActor (RowFailure) async throws -> FailureDecision)?
  let run: RunState
  private let reporting = Turnstile()
  var told = Told()
  var families = Families()
  private var answeredIDs = AnsweredIDs()

  /// The limit for a handler that changes a row again and again, but never to a task that the server takes.
  private static let mostChanges = 10

  init(_ journal: any RowJournal & ImportHistory, _ run: RunState) {
    self.journal = journal
    history = journal
    self.run = run
    keys = IdempotencyKeys(run.options, journal)
  }

  /// The runs before this one; nil if there were none, or all rows are to be imported once more.
  var earlier: (any EarlierRuns)? {
    guard let earlier = history.earlier, !earlier.isNew, run.options.resume != .no else { return nil }
    return earlier
  }

  func enqueue(_ rows: [QueuedRow], journaling journalRows: [JournalRow]) async throws {
    try await journal.willSend(journalRows)
    queue.append(rows)
  }

  /// Puts rows at the head of the queue that are not on the server or may be there twice. They are journaled together,
  /// because each write waits for the disk.
  func requeue(_ rows: [QueuedRow]) async throws {
    if !run.options.isDryRun, !rows.isEmpty { try await journal.willSend(rows.map(\.journalRow)) }
    for row in rows {
      row.isUnknown = false
      row.attempts = 0
      row.sentHash = row.textHash
    }
    queue.requeue(rows)
  }

  /// The failure of an answer with the ID of another row's task; nil for an answer that can be true.
  func doubt(about row: QueuedRow, _ added: AddedTask) -> TaskAPIError? {
    guard let id = added.reference?.id, let other = answeredIDs.note(id.hashValue, of: row.number) else { return nil }
    return .implausible("the answer has the ID of the task that row \(other) got: \(id)")
  }

  /// - Parameter task: nil if its ID is not known.
  func added(_ row: QueuedRow, _ task: TaskReference?) {
    report.added += 1
    settle(row.journalRow, .addedAs(task))
    close(row, .added(task))
  }

  func skipped(_ row: QueuedRow) {
    report.skipped += 1
    settle(row.journalRow, .skipped)
    close(row, .lost("its parent, row \(row.number), was skipped"))
  }

  /// Continues with the rows that wait for this one.
  private func close(_ row: QueuedRow, _ fate: @autoclosure () -> ParentFate) {
    guard let name = row.draft.sourceID else { return }
    row.fate = fate()
    families.forget(row, name)
    queue.release(waitingFor: row.number)
  }

  /// The row waits for the end of the source. If this run ends before, the next one reads the row again.
  func postpone(_ row: QueuedRow, isJournaled: Bool) {
    families.postponed += 1
    if let name = row.draft.sourceID { families.forget(row, name) }
    if !isJournaled { settle(row.journalRow, .notSent) }
  }

  /// The list of tasks shows that a sent row was not added.
  func absent(_ row: QueuedRow) { settle(row.journalRow, .absent) }

  /// The row was not sent. The next run sends it.
  func abandon(_ row: QueuedRow) {
    report.unsent += 1
    settle(row.journalRow, .notSent)
  }

  /// The fate of the row is found out later, when no other machine adds tasks.
  func leaveUnknown(_ row: QueuedRow) {
    if !run.options.isDryRun { journal.leaveUnknown(row.journalRow) }
  }

  /// Settles a row that no task is made of.
  func withhold(_ row: QueuedRow, _ draft: RowDraft) async throws {
    switch draft {
    case .task: break
    case .skipped:
      report.skipped += 1
      settle(row.withheldRow, .skipped)
      close(row, .lost("its parent, row \(row.number), was skipped"))
    case .unusable(let code, let reason, _): try await fail(row, row.failure(code: code, reason: reason))
    }
  }

  /// Fails the row, unless the handler decides otherwise.
  func fail(_ row: QueuedRow, _ error: any Error) async throws {
    try await fail(row, row.failure(code: error.failureCode, reason: error.sentence, status: error.status))
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
      try await families.onChange(row)
      try await requeue([row])
    }
  }

  func leaveUnsettled(_ row: QueuedRow, because reason: String) async throws {
    let cause = row.lastError as? any Failure
    let failure = row.failure(
      code: cause?.code ?? "unsettled", reason: cause.map { "\($0.message): \(reason)" } ?? reason,
      status: cause?.status, isUnsettled: true)
    report.unsettled += 1
    report.keep(failure)
    settle(row.journalRow, .unsettled(JournalFailure(failure)))
    close(row, .lost("it is not known whether its parent, row \(row.number), was added"))
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
    settle(row.journalRow, .failed(JournalFailure(failure)))
    close(row, .lost("its parent, row \(row.number), was not added: \(failure.reason)"))
    if let most = run.options.maximumFailures, report.failed > most { run.stop(.tooManyFailures(most, failure)) }
  }

  private func settle(_ row: JournalRow, _ outcome: RowOutcome) {
    if !run.options.isDryRun { journal.settle(row, outcome) }
  }
}

extension Error where Self == ImportError {
  fileprivate static func endedByHandler(_ failure: RowFailure) -> ImportError {
    stopped("on_row_failed stopped the import at row \(failure.row): \(failure.reason)", by: failure)
  }

  fileprivate static func tooManyFailures(_ most: Int, _ failure: RowFailure) -> ImportError {
    stopped(
      "the import stopped at row \(failure.row) because \(counted(most + 1, "row")) "
        + "\(most == 0 ? "has" : "have") failed, and \(most == 0 ? "none" : "\(most)") may: \(failure.reason)",
      by: failure)
  }

  private static func stopped(_ message: String, by failure: RowFailure) -> ImportError {
    ImportError(
      kind: .stopped, message: message, line: failure.line, status: failure.status, details: ["cause": failure.code])
  }
}
