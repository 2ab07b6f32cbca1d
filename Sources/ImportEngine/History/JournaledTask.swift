package import TaskAPI

/// An added row of a journal, with its task.
package struct JournaledTask: Sendable, Equatable {
  package let row: Int
  /// The name that the source has for the row; nil without one.
  package let sourceID: String?
  /// Nil if the ID of the task is not known.
  package let task: TaskReference?

  package init(row: Int, sourceID: String?, task: TaskReference?) {
    self.row = row
    self.sourceID = sourceID
    self.task = task
  }
}
