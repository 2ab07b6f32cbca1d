import JSON

/// A task as its server names it, so that the task can be found and changed later.
package struct TaskReference: Sendable, Equatable {
  package let id: String
  /// The version of the task: the entity tag that the server has answered, or a digest; see `APITask.version`. Nil for a task of
  /// which the answer has no entity tag, and says nothing but the text that was sent.
  package let entityTag: String?
  /// The ID of its list; nil if nobody has named one.
  package let list: String?

  package init(id: String, entityTag: String? = nil, list: String? = nil) {
    self.id = id
    self.entityTag = entityTag
    self.list = list
  }

  /// Nil for a task without an ID.
  package init?(_ task: APITask) {
    guard let id = task.id?.plainText, !id.isEmpty else { return nil }
    self.init(id: id, entityTag: task.version, list: task.value(of: .list)?.string)
  }
}
