package import HostLoop
package import TaskAPI

/// Where an import's rows come from: a file, or a script.
@HostActor
package protocol RowSource: AnyObject {
  /// The next row; nil at the end. Not called again before it has returned, so that a row may take its time. What it
  /// throws ends the import.
  func next() async throws -> ImportRow?
  /// How far the source has been read, for the progress bar; 0 where that is not known.
  var bytesRead: Int { get }
  /// How long it is; nil where that is not known.
  var totalBytes: Int? { get }
}

/// One row of a source, and what is to become of it.
package struct ImportRow: Sendable {
  package enum Content: Sendable {
    case task(TaskDraft)
    /// Not to be imported.
    case skipped
    /// No task can be made of it. `text` is what there was.
    case unusable(reason: String, text: String)

    /// The task of that draft; unusable when its text is blank, which no server takes.
    package init(_ draft: TaskDraft) {
      let isBlank = draft.text.utf8.allSatisfy { $0 == 0x20 || (9...13).contains($0) }
      self = isBlank ? .unusable(reason: "the text is empty", text: draft.text) : .task(draft)
    }
  }

  /// Counting from 1, header and empty lines not counted.
  package var number: Int
  /// Its line in the file, counting from 1; nil where there are no lines.
  package var line: Int?
  package var content: Content

  package init(number: Int, line: Int? = nil, content: Content) {
    self.number = number
    self.line = line
    self.content = content
  }
}
