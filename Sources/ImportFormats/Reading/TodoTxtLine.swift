package import JSON

/// A line of todo.txt (https://github.com/todotxt/todo.txt).
/// A line that begins with "x " is a completed task. The rest of the line is the text of the task, unchanged: the text
/// keeps priority, dates, projects, contexts and keys, so that an export writes the same line. A line of blanks and "x
/// " is a task whose text begins with "x ": one blank is removed.
package struct TodoTxtLine {
  var text: Substring
  var isCompleted: Bool
  /// A to Z.
  private var priority: Substring?
  private var dates: [Substring] = []
  private var description: Substring

  package init(_ line: String) {
    isCompleted = line.hasPrefix("x ")
    text = line[...]
    if isCompleted {
      text = text.dropFirst(2)
    } else if line.first == " ", line.drop(while: { $0 == " " }).hasPrefix("x ") {
      text = text.dropFirst()
    }
    description = text.drop { $0 == " " }
    takePriority()
    while dates.count < (isCompleted ? 2 : 1), let word = description.split(separator: " ").first,
      word.utf8.matches("0000-00-00")
    {
      dates.append(word)
      description = description.dropFirst(word.count).drop { $0 == " " }
      // The program moves the priority there when a task is done.
      if priority == nil { takePriority() }
    }
  }

  private mutating func takePriority() {
    let start = Array(description.utf8.prefix(4))
    guard start.count == 4, start[0] == UInt8(ascii: "("), (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(start[1]),
      start[2] == UInt8(ascii: ")"), start[3] == UInt8(ascii: " ")
    else { return }
    priority = description.dropFirst().prefix(1)
    description = description.dropFirst(4).drop { $0 == " " }
  }

  /// The parts by name, for a mapping: `text`, `completed`, `description`, `priority`, `completed_on`, `created_on`,
  /// `projects`, `contexts`, `labels` (both), and each key of the text.
  package var json: JSON {
    var members: [String: JSON] = [:]
    var projects: [JSON] = []
    var contexts: [JSON] = []
    for word in description.split(separator: " ") where word.count > 1 {
      if word.hasPrefix("+") {
        projects.append(.string(String(word.dropFirst())))
      } else if word.hasPrefix("@") {
        contexts.append(.string(String(word.dropFirst())))
      } else if let (key, value) = Self.pair(word) {
        members[key] = .string(value)
      }
    }
    members["text"] = .string(String(text))
    members["completed"] = .bool(isCompleted)
    members["description"] = .string(String(description))
    members["priority"] = priority.map { .string(String($0)) }
    members["completed_on"] = isCompleted ? dates.first.map { .string(String($0)) } : nil
    members["created_on"] = dates.dropFirst(isCompleted ? 1 : 0).first.map { .string(String($0)) }
    members["projects"] = projects.isEmpty ? nil : .array(projects)
    members["contexts"] = contexts.isEmpty ? nil : .array(contexts)
    members["labels"] = (projects + contexts).isEmpty ? nil : .array(projects + contexts)
    return .object(members)
  }

  /// "due:2026-12-01", not "http://…".
  private static func pair(_ word: Substring) -> (String, String)? {
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !parts[1].hasPrefix("//") else { return nil }
    return (String(parts[0]), String(parts[1]))
  }
}

extension Collection<UInt8> {
  /// True if the bytes are like `pattern`, in which 0 stands for any digit.
  package func matches(_ pattern: String) -> Bool {
    count == pattern.utf8.count
      && zip(self, pattern.utf8).allSatisfy { byte, wanted in
        wanted == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == wanted
      }
  }
}
