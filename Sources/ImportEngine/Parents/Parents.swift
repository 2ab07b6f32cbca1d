import HostLoop
import ImportFormats
import TaskAPI

/// Finds the tasks of parents, in an import whose rows have names of the source: there, the parent of a row is the name of
/// another row.
///
/// A task is added after its parent, with the parent's ID. All services can do that, while some cannot move a task below
/// another one later, and a second request for each child would be twice the work. A row whose parent has come before it
/// stays in the order of the source, and waits until the parent is settled. A row whose parent has not come yet is
/// postponed to the end of the source. Then all names are known, and the postponed rows are sent in an order in which
/// parents come first. A row whose parent never comes, or is not a task, is added without it, and so is the first row of a
/// circle.
@HostActor
final class Parents {
  /// True if rows have names: then their parents are names, too.
  private var areNamed: Bool
  /// True if the source has a column or a member for names.
  private let isDeclared: Bool
  private let service: any TaskService
  private let ledger: RowLedger
  private let names: (any NamedRows)?
  private var table: ParentTable?
  private var isOrdered = false
  /// True once the source has ended. Then the rows come that waited for that.
  var areAllRead = false
  private lazy var keepsParents = service.unkept(among: [TaskField.parent.rawValue]).isEmpty

  /// A longer name is none, in bytes.
  private static let longestName = 1024

  init(_ source: any RowSource, _ service: any TaskService, _ ledger: RowLedger) {
    self.service = service
    self.ledger = ledger
    names = ledger.history.names
    isDeclared = source.hasSourceIDs
    areNamed = isDeclared
    ledger.families.onChange = { [weak self] row in try await self?.placeSent([row]) }
  }

  /// Learns whether earlier runs had names.
  func begin() throws {
    if ledger.earlier != nil, try names?.nameReader().next() != nil { areNamed = true }
  }

  // MARK: Names

  /// The table, with the names of earlier runs.
  private func opened() async throws -> ParentTable {
    if let table { return table }
    let table = try ParentTable()
    self.table = table
    guard ledger.earlier != nil, let reader = names?.nameReader() else { return table }
    var count = 0
    while let (row, name) = try reader.next() {
      _ = try table.name(name, row, isTask: true)
      count += 1
      if count % 4096 == 0 { await Task.yield() }
    }
    return table
  }

  /// Notes the name of a row. A parent is sought from the first row with a name on; before, it is that of the server.
  private func admit(_ row: QueuedRow, isTask: Bool = true, isLive: Bool = true, tells: Bool = true) async throws {
    if let name = row.draft.sourceID, name.utf8.count > Self.longestName { row.draft.sourceID = nil }
    let name = row.draft.sourceID
    if name != nil { areNamed = true }
    // If the service keeps no parents, they are lost like any field.
    if areNamed, names != nil, keepsParents, !row.draft.hasParentID { row.takeParentName() }
    guard let name else {
      if isDeclared, tells { ledger.tellUnnamed(row.record) }
      return
    }
    if let other = try await opened().name(name, row.number, isTask: isTask) {
      if tells { ledger.tellRepeated(name, row.record, other) }
    } else if isLive {
      ledger.families.named[name] = row
    }
  }

  // MARK: Rows of the source

  /// Finds the parents of rows among the rows before. Returns the numbers of rows that are postponed.
  /// - Parameters:
  ///   - others: rows that are not sent, or not yet.
  ///   - isResumed: true for rows that the journal knows already.
  func place(_ rows: [QueuedRow], _ others: [QueuedRow] = [], isResumed: Bool = false) async throws -> Set<Int> {
    for row in others.isEmpty ? rows : (rows + others).sorted(by: { $0.number < $1.number }) { try await admit(row) }
    guard areNamed, try await seek(rows, isOrdered: false) else { return [] }
    var postponed: Set<Int> = []
    for row in rows {
      // Its parent may be postponed just now.
      if row.parent.row?.parent.isPostponed == true { row.parent.isPostponed = true }
      guard row.parent.isPostponed else { continue }
      try await postpone(row, isResumed: isResumed)
      postponed.insert(row.number)
    }
    return postponed
  }

  /// Keeps a row that names its parent until the end of the source. Returns false for another row.
  func postponeResumed(_ row: QueuedRow) async throws -> Bool {
    try await admit(row)
    guard row.parent.name != nil else { return false }
    try await postpone(row, isResumed: true)
    return true
  }

  private func postpone(_ row: QueuedRow, isResumed: Bool) async throws {
    row.parent.row = nil
    try await opened().add(row, isResumed: isResumed)
    ledger.postpone(row, isJournaled: isResumed)
  }

  /// Finds the parents of rows that an earlier run has sent. They are not postponed: each has been sent as it will be again.
  func placeSent(_ rows: [QueuedRow]) async throws {
    for row in rows { try await admit(row) }
    guard areNamed, try await seek(rows, isOrdered: true) else { return }
    for row in rows {
      if row.parent.isPostponed { lose(row) }
      guard let circle = row.circle, circle.allSatisfy({ row.number <= $0.number }) else { continue }
      row.adopt(.lost(ParentTable.words(circle.map(\.number))))
    }
  }

  /// Finds the parents of rows: live ones, or tasks. Rows whose parents are not there yet are marked as postponed. Returns
  /// false if no row names a parent.
  /// - Parameter isOrdered: false if a row may wait only for rows with smaller numbers. Each of two rows would wait for the
  ///   other one, if they name each other.
  private func seek(_ rows: [QueuedRow], isOrdered: Bool) async throws -> Bool {
    var far: [Int: Int] = [:]
    var isSought = false
    for row in rows where row.parent.loss == nil {
      guard let name = row.parent.name else { continue }
      isSought = true
      if let parent = ledger.families.named[name], parent !== row, isOrdered || parent.number < row.number {
        row.parent.row = parent
      } else if let number = try await opened().row(named: name)?.number, number != row.number {
        far[row.number] = number
      } else {
        row.parent.isPostponed = true
      }
    }
    let fates = far.isEmpty ? [:] : try await names?.fates(of: Array(Set(far.values))) ?? [:]
    for row in rows {
      guard let number = far[row.number] else { continue }
      if let fate = ParentFate(fates[number], number) { row.adopt(fate) } else { row.parent.isPostponed = true }
    }
    return isSought
  }

  private func lose(_ row: QueuedRow) {
    row.parent.isPostponed = false
    row.adopt(.lost("no row of the source has the ID '\(row.parent.name ?? "")'"))
  }

  // MARK: Postponed rows

  /// The next postponed rows, now that all rows have been read; none at the end. Each comes behind its parent.
  func next(_ most: Int) async throws -> [ParentTable.Waiting] {
    guard ledger.families.postponed > 0, let table else { return [] }
    if !isOrdered { try table.order() }
    isOrdered = true
    let found = try table.next(most)
    ledger.families.postponed -= found.count
    for waiting in found {
      try await admit(waiting.row, tells: false)
      if let circle = waiting.circle { waiting.row.adopt(.lost(circle)) }
    }
    _ = try await seek(found.map(\.row), isOrdered: true)
    for waiting in found where waiting.row.parent.isPostponed { lose(waiting.row) }
    return found
  }

  // MARK: Dry run

  /// Notes a row of a dry run.
  func check(_ row: QueuedRow, isTask: Bool) async throws {
    try await admit(row, isTask: isTask, isLive: false)
    if isTask, row.parent.name != nil { try await opened().add(row, isResumed: true) }
  }

  /// Gives the rows of a dry run that would be added without their parents, with the reason in `parent.loss`.
  func checked(_ body: (QueuedRow) throws -> Void) async throws {
    guard let table else { return }
    try table.order()
    while case let found = try table.next(2048), !found.isEmpty {
      for waiting in found {
        let row = waiting.row
        if let circle = waiting.circle {
          row.adopt(.lost(circle))
        } else if let parent = try table.row(named: row.parent.name ?? "") {
          let fate = try await names?.fates(of: [parent.number])[parent.number]
          if !parent.isTask { row.adopt(.lost("its parent, row \(parent.number), is not a task")) }
          if case .lost(let reason)? = ParentFate(fate, parent.number) { row.adopt(.lost(reason)) }
        } else {
          lose(row)
        }
        if row.parent.loss != nil { try body(row) }
      }
      await Task.yield()
    }
  }
}

extension ParentFate {
  /// Nil for a row that is not settled.
  fileprivate init?(_ row: NamedRowFate?, _ number: Int) {
    switch row?.state {
    case .added: self = .added(row?.task)
    case .skipped: self = .lost("its parent, row \(number), was skipped")
    case .failed: self = .lost("its parent, row \(number), was not added")
    case .unsettled: self = .lost("it is not known whether its parent, row \(number), was added")
    case .pending, .sent, nil: return nil
    }
  }
}
