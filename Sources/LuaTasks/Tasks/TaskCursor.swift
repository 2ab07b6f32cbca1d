import HostLoop
import Lua
import LuaKit
import TaskAPI

/// The position of a script in a list of tasks. Of a list of the task API, no more than a page is in tables.
@HostActor
final class TaskCursor {
  private let nextPage: @HostActor () throws -> [LuaValue]?
  private var page: [LuaValue] = []
  private var position = 0
  private(set) var count = 0

  init(_ pages: TaskListPages, _ json: JSONMarshal, _ state: LuaState) {
    nextPage = { try pages.next().map { try json.table(of: $0, state).elements } }
  }

  init(_ tasks: [APITask], _ json: JSONMarshal) {
    var rest = tasks[...]
    nextPage = {
      defer { rest = rest.dropFirst(500) }
      return rest.isEmpty ? nil : rest.prefix(500).map(json.value)
    }
  }

  func next() throws -> LuaValue {
    if position == page.count {
      page = try nextPage() ?? []
      position = 0
    }
    guard position < page.count else { return .nil }
    position += 1
    count += 1
    return page[position - 1]
  }
}
