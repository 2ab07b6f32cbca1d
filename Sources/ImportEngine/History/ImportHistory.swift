package import HostLoop
package import ImportFormats
package import TaskAPI

/// The facts about an import that outlive its runs: the keys of its rows, the nature of the server, and the tasks that the
/// server had before the import.
@HostActor
package protocol ImportHistory: AnyObject {
  /// The runs before this one; nil if the source itself tells the fate of its rows.
  var earlier: (any EarlierRuns)? { get }
  /// The rows by the names that the source has for them; nil if other machines settle rows, too.
  var names: (any NamedRows)? { get }
  /// The beginning of the row's idempotency key, the same in every run.
  func keyStem(of row: Int) -> String
  /// True if the API honors `Idempotency-Key`; nil while that is not known.
  var honorsIdempotencyKey: Bool? { get }
  /// Notes whether the API honors `Idempotency-Key`.
  func setHonorsIdempotencyKey(_ honors: Bool)
  /// True if the tasks before the import have been counted.
  var hasBaseline: Bool { get }
  /// Writes the number of tasks before the import, and of those with each text.
  func setBaseline(total: Int, counts: [UInt64: Int]) async throws(ImportError)
  /// Returns the known tasks with these hashes of texts; nil without a baseline.
  func knownTasks(of hashes: Set<UInt64>) async throws(ImportError) -> KnownTasks?
}

/// The rows of earlier runs of an import, in the order of its source.
@HostActor
package protocol EarlierRuns: AnyObject {
  /// True if there were no rows when this run began.
  var isNew: Bool { get }
  /// True if its hashes of contents do not include lengths; see `StableHash`.
  var hasOldHashes: Bool { get }
  /// The name of the source.
  var source: String { get }
  /// Returns a reader of the known rows in order of their number.
  func knownRows() throws(ImportError) -> any KnownRowReader
  /// Forgets all rows, so that everything is imported once more.
  func startAnew() async throws(ImportError)
  /// Records that the source was read to its end and that all its rows are settled.
  func finish(rows: Int) async throws(ImportError)
}

/// Reads the rows that a journal knows.
package protocol KnownRowReader: AnyObject {
  /// Returns the next row; nil at the end.
  func next() throws(ImportError) -> KnownRow?
}

/// The rows of an import, also of its earlier runs, that the source has names for.
@HostActor
package protocol NamedRows: AnyObject {
  /// Returns a reader of the names, in order of the rows.
  func nameReader() -> any RowNameReader
  /// Returns the fates of rows as far as they are known, with everything that was settled so far.
  func fates(of rows: [Int]) async throws(ImportError) -> [Int: NamedRowFate]
}

/// Reads the names of rows in a journal.
package protocol RowNameReader: AnyObject {
  /// Returns the next row with a name; nil at the end.
  func next() throws(ImportError) -> (row: Int, name: String)?
}

/// The outcome of a row with a name.
package struct NamedRowFate: Sendable {
  package let state: RowState
  /// The task of an added row; nil if its ID is not known.
  package let task: TaskReference?

  package init(_ state: RowState, _ task: TaskReference?) {
    self.state = state
    self.task = task
  }
}

/// The tasks that are known besides the list of tasks, by the hashes of the texts of some rows.
package struct KnownTasks: Sendable {
  /// Tasks before the import: of each text, and of all.
  package var before: [UInt64: Int]
  package var totalBefore: Int
  /// Rows known as added: of each text, and of all.
  package var added: [UInt64: Int]
  package var totalAdded: Int
  /// Rows of unknown fate that the source no longer has.
  package var lost: [UInt64: Int]

  package init(
    before: [UInt64: Int] = [:], totalBefore: Int = 0, added: [UInt64: Int] = [:], totalAdded: Int = 0,
    lost: [UInt64: Int] = [:]
  ) {
    self.before = before
    self.totalBefore = totalBefore
    self.added = added
    self.totalAdded = totalAdded
    self.lost = lost
  }
}
