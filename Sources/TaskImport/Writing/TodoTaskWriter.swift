import TaskAPI

/// A task a line by the rules of todo.txt: `x` before a completed task, then the day it was last changed.
///
/// The day also keeps a text that begins like a rule of the format what it is: `x`, a priority and a day count at the
/// beginning of a line only.
struct TodoTaskWriter: TaskWriter {
  mutating func add(_ task: APITask, to output: inout [UInt8]) throws(ImportError) {
    try LineOfText.check(task, .todotxt)
    let day = TaskDate(task.date)?.day
    if task.completed { output.append(contentsOf: "x ".utf8) }
    if let day {
      // Of a completed task: when it was completed, and when it was made.
      output.append(contentsOf: (task.completed ? "\(day) \(day) " : "\(day) ").utf8)
    } else if Self.looksLikeARule(task.text) {
      throw task.unwritable(
        .todotxt, because: "its text begins like a mark, priority or day, and it has no date of its own before that")
    }
    output.append(contentsOf: task.text.utf8)
    output.append(UInt8(ascii: "\n"))
  }

  /// `x `, `(A) ` or a day and a space; and a byte order mark, which would not be taken for text at the beginning of a
  /// file.
  private static func looksLikeARule(_ text: String) -> Bool {
    let start = Array(text.utf8.prefix(11))
    if start.starts(with: "x ".utf8) || start.starts(with: "\u{FEFF}".utf8) { return true }
    if start.count >= 4, start[0] == UInt8(ascii: "("), start[2] == UInt8(ascii: ")"), start[3] == 0x20 { return true }
    return start.count == 11 && start[10] == 0x20 && TaskDate.isDay(start[..<10])
  }
}
