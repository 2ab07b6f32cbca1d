import HostLoop
import TaskAPI

/// How many tasks there are, and how many with each text.
@HostActor
struct TaskCensus {
  /// How many tasks one kind of server shows at most (`docs` of the tutorial's restify server). Others of that kind show
  /// all: a list of another length is not cut there.
  private static let cut = 20

  /// All tasks that the server shows.
  private(set) var total = 0
  /// How many have the text with this hash; see `StableHash`.
  private(set) var counts: [UInt64: Int] = [:]
  /// The hashes of a field's values.
  private(set) var values: Set<UInt64> = []
  private var isOfNode = false

  /// Counts every text, and collects the values of `dedupe`, if any.
  static func all(_ client: TaskAPIClient, dedupe: String?) async throws -> TaskCensus {
    let count = Count()
    guard let dedupe, dedupe.lowercased() != "text" else {
      try await client.forEachText { count.add($0, isOfNode: $1) }
      if dedupe != nil { count.census.values = Set(count.census.counts.keys) }
      return count.census
    }
    try await client.each { task in
      count.add(task.text, isOfNode: task.isAddressedByOwner)
      if let value = task.value(of: dedupe) { count.census.values.insert(count.hash(of: value)) }
    }
    return count.census
  }

  /// Counts these texts alone.
  static func counting(_ hashes: Set<UInt64>, _ client: TaskAPIClient) async throws -> TaskCensus {
    let count = Count(only: hashes)
    try await client.forEachText { count.add($0, isOfNode: $1) }
    return count.census
  }

  /// A census under way.
  @HostActor
  private final class Count {
    var census = TaskCensus()
    private let hashes: Set<UInt64>?
    /// Made here: the list is read outside of the import's task, which knows how contents are hashed.
    private let start = StableHash.ofContent()

    init(only hashes: Set<UInt64>? = nil) { self.hashes = hashes }

    func hash(of text: String) -> UInt64 { start.adding(text).value }

    func add(_ text: String, isOfNode: Bool) {
      let hash = hash(of: text)
      census.total += 1
      if isOfNode { census.isOfNode = true }
      if hashes?.contains(hash) ?? true { census.counts[hash, default: 0] += 1 }
    }
  }

  /// True if there may be more tasks than are shown.
  var isCut: Bool { isOfNode && total == Self.cut }

  /// Why a task that is not shown may be there all the same; nil when it is not.
  func doubt(expecting least: Int) -> String? {
    if isCut { return "the server shows \(total) tasks only" }
    if total < least { return "the server shows \(total) tasks, fewer than the \(least) there should be" }
    return nil
  }
}
