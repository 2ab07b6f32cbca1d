import Core
import JSON
import Lua
import TaskAPI

/// The lists of a service by their IDs and names.
extension LuaTaskService {
  func lists() async throws -> [TaskListName] {
    let answer = try await call("lists", [])
    let lists = try (answer.first?.table?.elements ?? []).map { value in
      guard let list = value.table.flatMap(Self.list) else {
        throw TaskAPIError.brokenService("\(declaration.name): lists returned a list without an id")
      }
      return list
    }
    catalog = ListCatalog(lists)
    return lists
  }

  func listNames() async throws -> [String: String] {
    Dictionary(try await lists().map { ($0.id, $0.name) }) { first, _ in first }
  }

  private static func list(_ table: LuaTable) -> TaskListName? {
    table["id"].string.map {
      TaskListName(id: $0, name: table["name"].string ?? $0, isDefault: table["default"].boolean == true)
    }
  }

  /// The names of the fields that a task keeps from its beginning.
  func fixedFields() async throws -> [String] {
    guard has("fixed") else { return [] }
    return try await call("fixed", []).first?.table?.texts ?? []
  }

  // MARK: Names

  func resolved(_ fields: [String: JSON]) async throws -> [String: JSON] { try await resolved(fields, listID: nil) }

  func resolved(_ fields: [String: JSON], listID: String?) async throws -> [String: JSON] {
    guard declaration.fields.contains(.list) else { return fields }
    guard let list = try await id(ofList: fields[TaskField.list.rawValue]?.string, else: listID) else { return fields }
    return fields.merging([TaskField.list.rawValue: .string(list)]) { $1 }
  }

  func checkList(of draft: TaskDraft) async throws {
    guard declaration.fields.contains(.list) else { return }
    _ = try await id(ofList: draft.fields[TaskField.list.rawValue]?.string ?? list, else: draft.listID)
  }

  func listID(of item: KeyedDraft) async throws -> String? {
    try await id(ofList: item.draft.fields[TaskField.list.rawValue]?.string ?? list)
  }

  /// The ID of the list with that ID or name.
  /// - Parameter id: an ID that may be another service's; it counts if this service has a list with it.
  func id(ofList name: String?, else id: String? = nil) async throws -> String? {
    guard let name else { return nil }
    if let known = try known(name, id) { return known }
    if !catalog.isFresh { _ = try await lists() }
    if let known = try known(name, id) { return known }
    let names = catalog.lists.map { "'\($0.name)'" }.joined(separator: ", ")
    throw listFailure(
      .unknownList, "\(declaration.name) has no list '\(name)'",
      hint: names.isEmpty ? "it has no lists of tasks" : "its lists are \(names)")
  }

  private func known(_ name: String, _ id: String?) throws(TaskAPIError) -> String? {
    if let known = [id, name].compactMap(\.self).first(where: catalog.has) { return known }
    let named = catalog.named(name)
    guard named.count > 1 else { return named.first?.id }
    throw listFailure(
      .ambiguousList, "\(declaration.name) has \(named.count) lists '\(named[0].name)'",
      hint:
        "name the ID of the list, \(named.map(\.id).joined(separator: " or ")), or give one of the lists another name")
  }

  private func listFailure(_ kind: TaskAPIError.Kind, _ message: String, hint: String) -> TaskAPIError {
    .ofService(code: kind.rawValue, message: message, hint: hint, status: nil, retryAfter: nil, isOfOne: true)
  }

  // MARK: Making lists

  var usualList: String? { list }

  var makesLists: Bool { has("make_list") }

  func makeList(_ name: String) async throws -> TaskListName {
    // An earlier run or another machine may have made it.
    _ = try await lists()
    if let list = try list(named: name) { return list }
    guard makesLists else {
      throw listFailure(
        .cannotChange, "\(declaration.name) makes no lists, such as '\(name)'", hint: "make the list at the service")
    }
    let answer = try await read("make_list", [.string(name)], waits: true)
    guard answer.first?.table.flatMap(Self.list) != nil else {
      throw TaskAPIError.brokenService("\(declaration.name): make_list returned no list with an id")
    }
    // Another machine may have made one at the same time. Then the error names both.
    _ = try await lists()
    guard let list = try list(named: name) else {
      throw listFailure(
        .unknownList, "\(declaration.name) has made the list '\(name)' and does not show it", hint: "try again later")
    }
    return list
  }

  private func list(named name: String) throws(TaskAPIError) -> TaskListName? {
    try known(name, nil).flatMap { id in catalog.lists.first { $0.id == id } }
  }
}
