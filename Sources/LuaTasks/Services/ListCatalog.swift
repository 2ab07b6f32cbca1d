import HostLoop
import TaskAPI

/// The lists that a service has told.
struct ListCatalog {
  private(set) var lists: [TaskListName] = []
  private var readAt = -Double.infinity
  private var ids: Set<String> = []
  private var byName: [String: [TaskListName]] = [:]
  private var byPlainName: [String: [TaskListName]] = [:]

  /// Seconds for which a list that is not among the known ones is believed not to be there: many rows may name it.
  private static let lastsFor = 10.0

  init() {}

  init(_ lists: [TaskListName]) {
    self.lists = lists
    readAt = HostLoop.uptime
    ids = Set(lists.map(\.id))
    byName = Dictionary(grouping: lists, by: \.name)
    byPlainName = Dictionary(grouping: lists) { Self.plain($0.name) }
  }

  var isFresh: Bool { HostLoop.uptime - readAt <= Self.lastsFor }

  func has(id: String) -> Bool { ids.contains(id) }

  /// The lists with that name; those with another letter case or blanks around the name if none has exactly that name.
  func named(_ name: String) -> [TaskListName] { byName[name] ?? byPlainName[Self.plain(name)] ?? [] }

  private static func plain(_ name: String) -> String {
    name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
