import TaskAPI

/// A task a line by the rules of todo.txt: `x ` before the text of a completed task.
///
/// The text stands as it is, with the priority, dates and tags that it has; `TodoTxtLine` reads it so. A text that begins
/// with `x ` and is not completed gets one blank before it, which the reader takes off.
struct TodoTaskWriter: TaskWriter {
  private var isFirst = true

  mutating func add(_ task: APITask, to output: inout [UInt8]) throws(ImportError) {
    try LineOfText.check(task, .todotxt)
    if task.completed {
      output.append(contentsOf: "x ".utf8)
    } else if task.text.utf8.drop(while: { $0 == 0x20 }).starts(with: "x ".utf8) {
      output.append(0x20)
    } else if isFirst {
      LineOfText.protectMark(of: task, &output)
    }
    isFirst = false
    output.append(contentsOf: task.text.utf8)
    output.append(UInt8(ascii: "\n"))
  }
}
