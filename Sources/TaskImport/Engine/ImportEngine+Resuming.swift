import Core
import Glibc
import HostLoop
import TaskAPI

/// What the journal knows from earlier runs, and what has to be known before the first row goes out.
extension ImportEngine {
  /// Makes the journal one of the changed `source`, which is read to its end: rows that the journal knows are in the state
  /// they were in, wherever they stand now, the others are to be imported. Before `run`, which reads the source again.
  /// - Parameter confirm: whether to go on where none of the rows is one that the journal knows, by how many it knows and
  ///   how many there are.
  /// - Returns: how many rows were known.
  package func match(
    _ source: any RowSource, confirm: @HostActor (_ known: Int, _ rows: Int) async throws -> Bool = { _, _ in true }
  ) async throws -> Int {
    let match = try await journal.match()
    var count = 0
    while let record = try await source.next() {
      try await match.add(fingerprint: record.fingerprint, line: record.line)
      count += 1
    }
    let (matched, known) = try await match.found()
    // Rows that all differ are the same rows with another column, more likely than rows that are all new.
    if matched == 0, known > 0, count > 0, try await !confirm(known, count) {
      throw ImportError.nothingMatches(known: known, rows: count, journal.summary)
    }
    return try await match.finish()
  }

  func prepare(_ source: any RowSource) async throws {
    if options.resume == .no, !journal.isNew {
      isNew = true
      if !options.isDryRun { try await journal.startAnew() }
    }
    honorsKeys = options.honorsIdempotencyKey ?? journal.honorsIdempotencyKey
    phase = .readingKnownRows
    // Where rows are matched, all of the source has just been compared.
    if options.resume == .match { matched = try journal.knownRows() } else if !isNew { try await passKnownRows(source) }
    try await takeCensus()
  }

  /// Reads the rows that the journal knows, checks that they are the same, and takes up those that are not done.
  private func passKnownRows(_ source: any RowSource) async throws {
    var undone: [(known: KnownRow, record: SourceRecord, draft: RowDraft)] = []
    let rows = try journal.knownRows()
    while let known = try rows.next() {
      guard let record = try await source.next() else {
        throw ImportError.sourceIsShorter(by: known.row, journal.summary)
      }
      guard record.fingerprint == known.fingerprint else {
        throw ImportError.sourceChanged(at: record, journal.summary)
      }
      if isDone(known) {
        try await replay(known, record, source)
      } else {
        report.total += 1
        let draft = isUnwanted(known) ? .skipped : try await source.draft(of: record)
        undone.append((known, record, draft))
      }
      if report.total % 4096 == 0 { await Task.yield() }
      if stopReason != nil { return }
    }
    var unsent: [QueuedRow] = []
    for (known, record, draft) in undone {
      guard case .task(let task) = draft else {
        try await settle(record, draft)
        continue
      }
      let row = QueuedRow(record, task)
      if isFree(known) { unsent.append(row) } else { takeUp(row, known) }
    }
    try await sendAnew(unsent)
  }

  /// Counts a row that earlier runs are done with; false when it is not one.
  func isDone(_ known: KnownRow) -> Bool {
    switch known.state {
    case .added:
      report.added += 1
      report.addedBefore += 1
    case .skipped: report.skipped += 1
    case .failed: report.failed += 1
    case .unsettled, .sent, .pending:
      if report.resumedAt == nil { report.resumedAt = known.row }
      return false
    }
    report.total += 1
    report.resumed += 1
    return true
  }

  /// Has a source whose drafts depend on the rows before make the draft of a row that is done, too, so that it makes of the
  /// next one what it would have made in one run. Throws where it makes another task than the one that was added.
  func replay(_ known: KnownRow, _ record: SourceRecord, _ source: any RowSource) async throws {
    guard source.draftsDependOnEarlier else { return }
    let draft = try await source.draft(of: record)
    // What was added may have been changed by the handler.
    guard known.state == .added, known.textHash != 0, onRowFailed == nil else { return }
    if case .task(let task) = draft, StableHash.of(task.text) == known.textHash { return }
    throw ImportError.otherDraft(of: record)
  }

  /// Whether the row may be sent without finding out whether it is there.
  func isFree(_ known: KnownRow) -> Bool {
    known.state == .pending || (known.state == .unsettled && options.unsettled == .resend)
  }

  /// Whether the person does not want it sent again, whatever became of it.
  func isUnwanted(_ known: KnownRow) -> Bool { known.state == .unsettled && options.unsettled == .skip }

  /// Takes up a row whose fate is unknown.
  func takeUp(_ row: QueuedRow, _ known: KnownRow) {
    row.sentHash = known.textHash
    row.isUnknown = true
    if honorsKeys == true, row.sentHash == row.textHash, isKeyFresh(known.sentAt) {
      queue.append([row])
    } else {
      unknown.append(row)
    }
  }

  /// Sends rows of which it is certain that they are not there, or that nobody minds if they are. They are written down
  /// together: each time waits for the disk.
  func sendAnew(_ rows: [QueuedRow]) async throws {
    if !options.isDryRun, !rows.isEmpty { try await journal.willSend(rows.map(\.journalRow)) }
    for row in rows {
      row.isUnknown = false
      row.attempts = 0
      row.sentHash = row.textHash
    }
    // The one put back last goes first.
    for row in rows.reversed() { queue.putBack(row) }
  }

  /// A server takes the same key for the same request for a day, where it takes it at all.
  private func isKeyFresh(_ sentAt: Int?) -> Bool {
    guard let sentAt else { return false }
    return time(nil) - sentAt < 24 * 60 * 60
  }
}

extension ImportError {
  static func sourceChanged(at record: SourceRecord, _ journal: JournalSummary) -> ImportError {
    let place = record.line.map { " (line \($0))" } ?? ""
    return changed("row \(record.number)\(place) is another than the one imported before", record.line, journal)
  }

  fileprivate static func otherDraft(of record: SourceRecord) -> ImportError {
    let place = record.line.map { " (line \($0))" } ?? ""
    return ImportError(
      kind: .sourceChanged,
      message: "row \(record.number)\(place): map makes another text of it than the one that was added before",
      hint:
        "the import cannot go on with what was added by another map, or one that depends on the time or on chance: bring "
        + "the old map back; or import with resume = \"no\" and dedupe = \"text\" (--resume no --dedupe text)",
      line: record.line)
  }

  fileprivate static func nothingMatches(known: Int, rows: Int, _ journal: JournalSummary) -> ImportError {
    let source = journal.identity?.sourceName ?? "the source"
    return ImportError(
      kind: .sourceChanged,
      message: "none of the \(counted(known, "row")) imported before is in \(source) as it is now, so that "
        + "resume = \"match\" (--resume match) would import all \(counted(rows, "row")) as new",
      hint: "nothing was sent. A row with another column is another row: bring the old columns back; or import with "
        + "resume = \"no\" and dedupe = \"text\" (--resume no --dedupe text), which adds the rows whose text no task of the "
        + "account has; or with resume = \"no\" alone, which imports every row as new")
  }

  fileprivate static func sourceIsShorter(by row: Int, _ journal: JournalSummary) -> ImportError {
    changed("it ends before row \(row), which was imported before", nil, journal)
  }

  private static func changed(_ what: String, _ line: Int?, _ journal: JournalSummary) -> ImportError {
    ImportError(
      kind: .sourceChanged,
      message: "\(journal.identity?.source ?? "the source") has changed since its import began: \(what)",
      hint: "nothing was sent. Bring the old file back to go on with it; or import with resume = \"match\" "
        + "(--resume match), which leaves out every row that was imported before, wherever it stands now; or with "
        + "resume = \"no\" (--resume no), which imports every row as new", line: line)
  }
}
