import HostLoop
import ImportFormats
import TaskAPI

/// Going on with the rows that the journal knows from earlier runs.
extension Intake {
  /// Reads the rows that the journal knows, checks that they are the same, and resumes those that are not done.
  func resumeKnownRows() async throws {
    guard let earlier = ledger.earlier else { return }
    var undone: [(known: KnownRow, row: QueuedRow, draft: RowDraft)] = []
    let rows = try earlier.knownRows()
    while let known = try rows.next() {
      guard let record = try await source.next() else {
        throw ImportError.sourceIsShorter(by: known.row, earlier.source)
      }
      guard record.fingerprint == known.fingerprint else {
        throw ImportError.sourceChanged(at: record, earlier.source)
      }
      if try await !pass(known, record) {
        ledger.report.total += 1
        let draft = isUnwanted(known) ? .skipped : try await source.draft(of: record)
        let row = row(record, draft)
        // An earlier run may have postponed very many rows.
        if case .task = draft, isFree(known), undone.count >= Self.mostUndone, try await parents.postponeResumed(row) {
          continue
        }
        undone.append((known, row, draft))
      }
      await yield(at: record.number)
      if state.isStopping { return }
    }
    var unsent: [QueuedRow] = []
    var sent: [(row: QueuedRow, known: KnownRow)] = []
    for (known, row, draft) in undone {
      guard case .task(let task) = draft else {
        try await ledger.withhold(row, draft)
        continue
      }
      if !isFree(known) {
        sent.append((row, known))
      } else if let refusal = try await lists.refusal(of: task, row.record) {
        try await ledger.withhold(row, refusal)
      } else {
        unsent.append(row)
      }
    }
    try await parents.placeSent(sent.map(\.row))
    for (row, known) in sent { resume(row, known) }
    let postponed = try await parents.place(unsent, isResumed: true)
    try await ledger.requeue(unsent.filter { !postponed.contains($0.number) })
  }

  /// The rows of earlier runs that continue in the order of the source, whether they name parents or not: some blocks.
  private static let mostUndone = 8192

  /// Leaves out rows that earlier runs journaled and did not send, if a task with the same value of `dedupe` is or may
  /// be on the server. Called once the tasks on the server are known.
  func dedupeResumed() {
    guard state.options.dedupe != nil else { return }
    let rows = ledger.queue.drain()
    for row in settlement.rows + rows where row.isUnknown { _ = isRepeated(row.draft) }
    var kept: [QueuedRow] = []
    for row in rows {
      if !row.isUnknown, isRepeated(row.draft) { ledger.skipped(row) } else { kept.append(row) }
    }
    ledger.queue.requeue(kept)
  }

  /// Counts a row that earlier runs have settled. Returns false for a row that they have not. If drafts depend on
  /// earlier rows, the source makes the draft of a settled row, too, so that later drafts are the same as in one run.
  /// Throws if the draft is not the task that was added.
  func pass(_ known: KnownRow, _ record: SourceRecord) async throws -> Bool {
    switch known.state {
    case .added:
      ledger.report.added += 1
      ledger.report.addedBefore += 1
    case .skipped: ledger.report.skipped += 1
    case .failed: ledger.report.failed += 1
    case .unsettled, .sent, .pending:
      if ledger.report.resumed.at == nil { ledger.report.resumed.at = known.row }
      return false
    }
    ledger.report.total += 1
    ledger.report.resumed.rows += 1
    guard source.draftsDependOnEarlier else { return true }
    let draft = try await source.draft(of: record)
    // The handler may have changed the row that was added.
    guard known.state == .added, known.textHash != 0, ledger.onRowFailed == nil else { return true }
    if case .task(let task) = draft, StableHash.of(task.text) == known.textHash { return true }
    throw ImportError.otherDraft(of: record)
  }

  /// True if the row may be sent without finding out whether it is on the server.
  func isFree(_ known: KnownRow) -> Bool {
    switch known.state {
    // A row without a text was journaled, but not to be sent.
    case .sent: known.textHash == 0
    case .unsettled: state.options.unsettled == .resend
    default: known.state == .pending
    }
  }

  func isUnwanted(_ known: KnownRow) -> Bool { known.state == .unsettled && state.options.unsettled == .skip }

  /// Resumes a row of unknown fate: it is sent again with its key, or looked up in the list.
  func resume(_ row: QueuedRow, _ known: KnownRow) {
    row.sentHash = known.textHash
    row.isUnknown = true
    if row.draft.edit != nil {
      // It is compared with the task before it is made again.
      ledger.queue.append([row])
    } else if settlement.finder != nil {
      // An earlier run may have ended a moment ago, and the service may still be at it.
      settlement.add(row, at: state.now)
    } else if ledger.keys.areHonored == true, row.sentHash == row.textHash, ledger.keys.isFresh(known.sentAt) {
      ledger.queue.append([row])
    } else {
      settlement.add(row)
    }
  }
}

extension ImportError {
  static func sourceChanged(at record: SourceRecord, _ source: String) -> ImportError {
    changed("\(record.place) differs from the row imported before", record.line, source)
  }

  fileprivate static func sourceIsShorter(by row: Int, _ source: String) -> ImportError {
    changed("it ends before row \(row), which was imported before", nil, source)
  }

  private static func changed(_ what: String, _ line: Int?, _ source: String) -> ImportError {
    ImportError(
      kind: .sourceChanged,
      message: "\(source) has changed since its import began: \(what)",
      hint: "nothing was sent. Bring the old file back to continue with it; or import with --resume match "
        + "(resume = \"match\" in a script), which leaves out every row that was imported before, wherever it stands now; or with "
        + "--resume no (resume = \"no\" in a script), which imports every row as new", line: line)
  }

  fileprivate static func otherDraft(of record: SourceRecord) -> ImportError {
    ImportError(
      kind: .sourceChanged, message: "\(record.place): map makes another text of it than the one that was added before",
      hint:
        "the import cannot continue after another map, or one that depends on the time or on chance: bring "
        + "the old map back; or import with --resume no --dedupe text (resume = \"no\" and dedupe = \"text\" in a script)",
      line: record.line)
  }
}
