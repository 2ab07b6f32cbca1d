package import ImportFormats
package import TaskAPI

/// A row of a journal, with its task.
package struct JournaledTask: Sendable, Equatable {
  package let row: Int
  package let state: RowState
  /// The name that the source has for the row; nil without one.
  package let sourceID: String?
  /// Nil if the ID of the task is not known.
  package let task: TaskReference?
  /// The hash of the task's text when it was sent.
  package let textHash: UInt64

  package init(row: Int, state: RowState, sourceID: String?, task: TaskReference?, textHash: UInt64) {
    self.row = row
    self.state = state
    self.sourceID = sourceID
    self.task = task
    self.textHash = textHash
  }
}
