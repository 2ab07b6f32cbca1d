package import JSON

/// A task as the API sends it, in the spelling of any server.
package struct APITask: Sendable, Equatable {
  /// A whole number from the .NET server, a string from the Node server; nil if the server sent none.
  package var id: JSON?
  package var text: String
  package var owner: String?
  package var completed = false
  /// The time of the last change, as the server wrote it.
  package var date: String?
  /// The name of the task's list, for an export; see `named`.
  package var listName: String?
  /// The whole object that the server sent; null if it sent none.
  package var raw: JSON = .null

  package init(text: String, id: JSON? = nil) {
    self.text = text
    self.id = id
  }

  /// Reads `Id`, `Text`, `Owner`, `Completed`, `DateModified` (.NET), `_id`, `Text`, `owner`, `completed`, `date`
  /// (Node), and the same names in other letter cases. Nil if `json` is no object.
  package init?(_ json: JSON) {
    guard let members = json.object else { return nil }
    func member(_ names: [String]) -> JSON? { names.lazy.compactMap { members[$0] }.first { $0 != .null } }
    id = member(Self.idNames)
    text = member(Self.textNames).map(\.plainText) ?? ""
    owner = member(Self.ownerNames).map(\.plainText)
    date = member(Self.dateNames).map(\.plainText)
    raw = json
    completed = member(Self.completedNames)?.flag ?? (value(of: .completedAt) != nil)
  }

  /// The servers' names for each field; the first name that a task has counts.
  package static let idNames = ["Id", "_id", "id", "ID"]
  package static let textNames = ["Text", "text"]
  package static let ownerNames = ["Owner", "owner"]
  package static let completedNames = ["Completed", "completed"]
  package static let dateNames = ["DateModified", "date", "Date", "dateModified"]
  package static let tagNames = ["ETag", "etag"]
  /// The further names that each task of the tutorial's servers has.
  static let bareNames = completedNames + ownerNames + dateNames + ["__v"]
  private static let ownNames = Set(
    idNames + textNames + ownerNames + completedNames + dateNames + tagNames
      + TaskField.allCases.flatMap(\.spellings) + ["list_name"])

  /// The value of a field as the server wrote it; nil if the task has none.
  package func value(of field: TaskField) -> JSON? {
    guard let members = raw.object else { return nil }
    return field.spellings.lazy.compactMap { members[$0] }.first { $0 != .null }
  }

  /// The task with the name of its list.
  /// - Parameter lists: the names of the lists by their IDs. A list without a name is called by its ID.
  package func named(by lists: [String: String]) -> APITask {
    var task = self
    task.listName = value(of: .list).map { lists[$0.plainText] ?? $0.plainText }
    return task
  }

  /// The version of the task, for a change that must not overwrite another one (RFC 9110, 8.8.3).
  package var entityTag: String? { Self.tagNames.lazy.compactMap { raw[$0]?.string }.first }

  /// The other members that the server sent, by its names.
  package var further: [String: JSON] { raw.object?.filter { !Self.ownNames.contains($0.key) } ?? [:] }

  /// True if this came from the server whose tasks are addressed by owner and ID.
  package var isAddressedByOwner: Bool { raw["_id"] != nil && owner != nil }
}
