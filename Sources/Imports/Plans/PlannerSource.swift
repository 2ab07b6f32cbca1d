import HostLoop
import ImportFormats
import TaskAPI

/// The rows of a source, which a planner reads several times. A file is opened again for that. The rows of a pipe, and those
/// that a function of a script makes, are kept in memory.
@HostActor
final class PlannerSource {
  /// The source as it was opened first.
  let opened: ImportSource.Opened
  private let reopen: @HostActor () throws -> any RowSource
  private let isKept: Bool
  private var kept: [(record: SourceRecord, draft: RowDraft)]?
  /// True while the source as it was opened first has not been read.
  private var isFresh: Bool
  /// The number of rows and a sum of their fingerprints, as the first pass has found them.
  private var found: (rows: Int, sum: UInt64)?
  private let name: String

  /// - Parameters:
  ///   - isKept: true for a source that cannot be read twice.
  ///   - isFresh: false to open the source once more for the first pass.
  ///   - reopen: opens a source that can be read twice.
  init(
    _ opened: ImportSource.Opened, _ name: String, isKept: Bool, isFresh: Bool,
    reopen: @escaping @HostActor () throws -> any RowSource
  ) {
    self.opened = opened
    self.isFresh = isFresh
    self.name = name
    self.isKept = isKept || opened.rows.draftsDependOnEarlier
    self.reopen = reopen
  }

  /// A row, whose draft is made when it is needed.
  @HostActor
  struct Row {
    let record: SourceRecord
    fileprivate let known: RowDraft?
    fileprivate let source: any RowSource

    /// The draft, if it had to be made when the row was read.
    var knownDraft: RowDraft? { known }
    func draft() async throws -> RowDraft { if let known { known } else { try await source.draft(of: record) } }
    /// The name that the source has for the row; nil without one.
    var name: String? {
      if case .task(let task)? = known, let name = task.sourceID { return name }
      if let name = source.sourceID(of: record) { return name }
      // The format of an app makes rows with the members of tasks.
      guard source.fields == nil else { return nil }
      return SourceColumns.value(TaskDraft.sourceIDName, in: record, known).flatMap(TaskDraft.sourceID)
    }
  }

  /// Gives all rows to `body`, in order.
  /// - Throws: `source_changed` if they are not those of the first time.
  func each(_ body: @HostActor (Row) async throws -> Void) async throws {
    if let kept {
      for row in kept { try await body(Row(record: row.record, known: row.draft, source: opened.rows)) }
      return
    }
    let source = isFresh || isKept ? opened.rows : try reopen()
    isFresh = false
    var read = (rows: 0, sum: UInt64(0))
    var keeping: [(record: SourceRecord, draft: RowDraft)] = []
    while let record = try await source.next() {
      read.rows += 1
      read.sum = read.sum &* 31 &+ record.fingerprint
      let draft = isKept ? try await source.draft(of: record) : nil
      if let draft { keeping.append((record, draft)) }
      try await body(Row(record: record, known: draft, source: source))
      if record.number % 1024 == 0 {
        await Task.yield()
        try Task.checkCancellation()
      }
    }
    if isKept { kept = keeping }
    guard let found else {
      found = read
      return
    }
    guard found == read else {
      throw ImportError(
        kind: .sourceChanged, message: "\(name) was written to while it was being read",
        hint: "make the plan again when the file is complete")
    }
  }
}
