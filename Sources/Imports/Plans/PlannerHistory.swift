import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import TaskAPI
import TaskPlans

/// The tasks that earlier imports and plans of a source have made, as the journals of this machine know them.
struct PlannerHistory {
  /// The fate of a row of an earlier import.
  enum Fate {
    /// Nil if the ID of the task is not known.
    case added(TaskReference?)
    case unknown

    /// Nil for a row that was not sent, or was refused.
    init?(_ row: JournaledTask) {
      switch row.state {
      case .added: self = .added(row.task)
      case .unsettled, .sent: self = .unknown
      case .pending, .skipped, .failed: return nil
      }
    }
  }

  /// The fates of rows with the same content, in the order of the source: of an import by the fingerprints of rows, of a plan by
  /// the hashes of their values.
  private var rows: [UInt64: ArraySlice<Fate>] = [:]
  /// The tasks by the names that the source has for them.
  private var names: [String: TaskReference] = [:]
  /// The tasks by the keys that applied plans with this key column have given them.
  private var keys: [String: TaskReference] = [:]
  /// The keys by the IDs of tasks.
  private var keysByID: [String: String] = [:]
  /// True if the fingerprints are those of a journal without lengths; see `StableHash`.
  private(set) var hasOldHashes = false

  init() {}

  /// - Parameters:
  ///   - journals: those of the source, the last one first: the last fate of a row counts.
  ///   - key: nil for a plan without a key.
  @HostActor init(_ journals: [JournalSummary], _ shelf: JournalShelf, _ key: PlannerKey?) throws {
    for journal in journals where journal.path != nil {
      if let plan = try shelf.plan(of: journal) {
        try add(plan, journal, shelf, key)
      } else {
        try add(journal, shelf, key)
      }
    }
  }

  @HostActor private mutating func add(_ journal: JournalSummary, _ shelf: JournalShelf, _ key: PlannerKey?) throws {
    var own: [UInt64: ArraySlice<Fate>] = [:]
    let rows = try shelf.tasks(of: journal)
    while let row = try rows.next() {
      guard let fate = Fate(row) else { continue }
      own[row.known.fingerprint, default: []].append(fate)
      if case .added(let task?) = fate, let name = row.sourceID { note(task, name: name, key) }
    }
    if rows.hasOldHashes { hasOldHashes = true }
    self.rows.merge(own) { last, _ in last }
  }

  private mutating func note(_ task: TaskReference, name: String, _ key: PlannerKey?) {
    if names[name] == nil { names[name] = task }
    if key?.hasNames == true, keysByID[task.id] == nil { keysByID[task.id] = name }
  }

  @HostActor private mutating func add(
    _ plan: PlanReader, _ journal: JournalSummary, _ shelf: JournalShelf, _ key: PlannerKey?
  ) throws {
    let isOfKey = key != nil && plan.header.keyColumn == key?.column
    var own: [UInt64: ArraySlice<Fate>] = [:]
    let outcomes = try PlanOutcomes(plan, shelf, journal)
    while let (row, _, made) = try outcomes.next() {
      let fate: Fate? =
        switch row.action {
        case .create: made.flatMap { Fate($0) }
        case .same, .change: row.task.map { .added($0) }
        case .skipped, .remove, .conflict, .refused, .kept, .gone: nil
        }
      guard let fate else { continue }
      own[Self.hash(plan.header.columns, row.source), default: []].append(fate)
      guard isOfKey, let value = row.key, case .added(let task?) = fate else { continue }
      if keys[value] == nil { keys[value] = task }
      if keysByID[task.id] == nil { keysByID[task.id] = value }
    }
    rows.merge(own) { last, _ in last }
  }

  /// The hash of the values of a row, in whatever order the columns are.
  static func hash(_ columns: [String], _ values: [String]) -> UInt64 {
    var hash = StableHash.ofContent()
    for (name, value) in zip(columns, values).sorted(by: { $0.0 < $1.0 }) where !value.isEmpty {
      hash = hash.adding(name).adding(value)
    }
    return hash.value
  }

  /// The fate of the next row with that fingerprint or that hash of its values; nil for a row that no import knows.
  mutating func take(_ fingerprint: UInt64, _ hash: @autoclosure () -> UInt64) -> Fate? {
    guard !rows.isEmpty else { return nil }
    return rows[fingerprint]?.popFirst() ?? rows[hash()]?.popFirst()
  }

  func task(named name: String) -> TaskReference? { names[name] }
  func task(key: String) -> TaskReference? { keys[key] }
  func key(ofTask id: String) -> String? { keysByID[id] }
}
