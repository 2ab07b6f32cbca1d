import HostLoop
import ImportFormats
import TaskAPI

@HostActor
struct TaskCensus {
  /// The most tasks that one kind of server shows (the tutorial's restify server). Others of that kind show all: a list
  /// of another length is not cut there.
  private static let cut = 20

  private(set) var total = 0
  /// The number of tasks with each text, by its hash.
  private(set) var counts: [UInt64: Int] = [:]
  /// The hashes of the values of `dedupe`.
  private(set) var values: Set<UInt64> = []
  private var isOfNode = false
  /// The texts to be counted; nil for all.
  private let hashes: Set<UInt64>?
  /// Made here: the list is read outside of the import's task, which knows the kind of hash.
  private let start = StableHash.ofContent()

  private init(only hashes: Set<UInt64>? = nil) { self.hashes = hashes }

  static func all(_ service: any TaskService, dedupe: String?) async throws -> TaskCensus {
    var census = TaskCensus()
    guard let dedupe, dedupe.lowercased() != "text" else {
      try await service.forEachText { census.add($0, isOfNode: $1) }
      if dedupe != nil { census.values = Set(census.counts.keys) }
      return census
    }
    try await service.each(list: nil) { task in
      census.add(task.text, isOfNode: task.isAddressedByOwner)
      if let value = task.value(of: dedupe) { census.values.insert(census.start.adding(value).value) }
    }
    return census
  }

  static func counting(_ hashes: Set<UInt64>, _ service: any TaskService) async throws -> TaskCensus {
    var census = TaskCensus(only: hashes)
    try await service.forEachText { census.add($0, isOfNode: $1) }
    return census
  }

  /// The tasks with these hashes of texts.
  static func tasks(of hashes: Set<UInt64>, _ service: any TaskService) async throws -> [UInt64: TaskReference] {
    var found: [UInt64: TaskReference] = [:]
    let start = StableHash.ofContent()
    try await service.each(list: nil) { task in
      let hash = start.adding(task.text).value
      if hashes.contains(hash) { found[hash] = TaskReference(task) }
    }
    return found
  }

  private mutating func add(_ text: String, isOfNode: Bool) {
    let hash = start.adding(text).value
    total += 1
    if isOfNode { self.isOfNode = true }
    if hashes?.contains(hash) ?? true { counts[hash, default: 0] += 1 }
  }

  /// True if there may be more tasks than are shown.
  var isCut: Bool { isOfNode && total == Self.cut }

  /// The reason why a task that is not shown may exist; nil if it does not.
  func doubt(expecting least: Int) -> String? {
    if isCut { return "the server shows \(total) tasks only" }
    if total < least { return "the server shows \(total) tasks, fewer than the \(least) there should be" }
    return nil
  }
}
