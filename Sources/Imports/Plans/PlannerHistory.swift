import Files
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
    for journal in journals {
      guard let path = journal.path else { continue }
      if let plan = try Self.plan(ofJournal: path) {
        try add(plan, journal, shelf, key)
      } else {
        try add(journal, shelf, key)
      }
    }
  }

  /// The copy of the plan whose rows a journal has; nil for the journal of an import.
  private static func plan(ofJournal path: String) throws -> PlanReader? {
    let file = ImportJournal.planFile(of: path)
    guard FileSystem.kind(of: file) != nil else { return nil }
    return try PlanReader(try OpenFile(file, .reading), name: file)
  }

  @HostActor private mutating func add(_ journal: JournalSummary, _ shelf: JournalShelf, _ key: PlannerKey?) throws {
    var own: [UInt64: ArraySlice<Fate>] = [:]
    let isOld = try shelf.eachRow(of: journal) { row, name, task in
      switch row.state {
      case .added:
        own[row.fingerprint, default: []].append(.added(task))
        if let name, let task { note(task, name: name, key) }
      case .unsettled, .sent: own[row.fingerprint, default: []].append(.unknown)
      case .pending, .skipped, .failed: break
      }
    }
    if isOld { hasOldHashes = true }
    rows.merge(own) { last, _ in last }
  }

  private mutating func note(_ task: TaskReference, name: String, _ key: PlannerKey?) {
    if names[name] == nil { names[name] = task }
    if key?.hasNames == true, keysByID[task.id] == nil { keysByID[task.id] = name }
  }

  @HostActor private mutating func add(
    _ plan: PlanReader, _ journal: JournalSummary, _ shelf: JournalShelf, _ key: PlannerKey?
  ) throws {
    // Its rows are numbered in the order in which they are sent: new tasks first.
    var made: [Int: Fate] = [:]
    try shelf.eachRow(of: journal) { row, _, task in
      switch row.state {
      case .added: made[row.row] = .added(task)
      case .unsettled, .sent: made[row.row] = .unknown
      case .pending, .skipped, .failed: break
      }
    }
    let isOfKey = key != nil && plan.header.keyColumn == key?.column
    var own: [UInt64: ArraySlice<Fate>] = [:]
    var created = 0
    while let row = try plan.next() {
      var fate: Fate?
      if row.action == .create {
        created += 1
        fate = made[created]
      } else if row.action == .same || row.action == .change {
        fate = row.task.map { .added($0) }
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
