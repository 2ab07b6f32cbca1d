package import ImportFormats
package import TaskAPI

/// A row of a journal, with its task.
package struct JournaledTask: Sendable, Equatable {
  package let known: KnownRow
  /// The name that the source has for the row; nil without one.
  package let sourceID: String?
  /// Nil if the ID of the task is not known.
  package let task: TaskReference?

  package init(_ known: KnownRow, sourceID: String?, task: TaskReference?) {
    self.known = known
    self.sourceID = sourceID
    self.task = task
  }

  package var row: Int { known.row }
  package var state: RowState { known.state }
}
