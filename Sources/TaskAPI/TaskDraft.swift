package import JSON

/// A task to add.
package struct TaskDraft: Sendable, Equatable {
  package var text: String
  /// Further fields by the names the server knows them by, such as `Completed`.
  package var fields: [String: JSON]

  package init(text: String, fields: [String: JSON] = [:]) {
    self.text = text
    self.fields = fields
  }
}
