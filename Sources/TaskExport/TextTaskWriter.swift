import ImportFormats
import JSON
import TaskAPI

/// Only the text of each task, a task a line.
struct TextTaskWriter: TaskWriter {
  private var completed = 0
  private var isFirst = true

  mutating func add(_ task: APITask, to output: inout [UInt8]) throws(ImportError) {
    try LineOfText.check(task, .text)
    if isFirst { LineOfText.protectMark(of: task, &output) }
    isFirst = false
    if task.completed { completed += 1 }
    output.append(contentsOf: task.text.utf8)
    output.append(UInt8(ascii: "\n"))
  }

  var notes: [String] {
    guard completed > 0 else { return [] }
    let tasks = completed == 1 ? "1 completed task looks" : "\(completed) completed tasks look"
    return ["\(tasks) like an open one in plain text; csv, json, todotxt and taskwarrior tell them apart"]
  }
}

/// A task a line by the rules of todo.txt: `x ` before the text of a completed task. The text is unchanged, with its
/// priority, dates and tags; `TodoTxtLine` reads it so. A text that begins with `x ` and is not completed gets one
/// blank before it, which the reader removes.
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
    output.append(contentsOf: Self.text(of: task).utf8)
    output.append(UInt8(ascii: "\n"))
  }

  /// The text with the fields that it does not have itself: a priority in front, labels and dates at the end.
  private static func text(of task: APITask) -> String {
    var text = task.text
    let words = text.split(separator: " ")
    for label in task.value(of: .labels)?.array ?? [] {
      guard let label = label.string, !label.contains(" "), !words.contains(where: { $0.dropFirst() == label }) else {
        continue
      }
      text += " +\(label)"
    }
    for (key, field) in [("due", TaskField.due), ("t", .start)] {
      guard let value = task.value(of: field)?.string, !words.contains(where: { $0.hasPrefix("\(key):") }) else {
        continue
      }
      text += " \(key):\(value.prefix(10))"
    }
    if let number = task.value(of: .priority)?.lenientInteger, (1...9).contains(number), !task.completed,
      TodoTxtLine(text).json["priority"] == nil
    {
      text = "(\(Character(UnicodeScalar(UInt8(ascii: "A") + UInt8(number) - 1)))) " + text
    }
    return text
  }
}

enum LineOfText {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Throws if no line can hold the task's text.
  static func check(_ task: APITask, _ format: SourceFormat) throws(ImportError) {
    if task.text.utf8.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      throw task.unwritable(format, because: "its text has a line break")
    }
    if task.text.isBlank { throw task.unwritable(format, because: "its text is empty") }
  }

  /// Protects a first text that begins with U+FEFF: readers take one such character off the beginning of a file.
  static func protectMark(of task: APITask, _ output: inout [UInt8]) {
    if task.text.utf8.starts(with: byteOrderMark) { output.append(contentsOf: byteOrderMark) }
  }
}
