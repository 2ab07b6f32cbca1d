import Core
import JOSE
import JSON
import TaskAPI

/// The format of Taskwarrior's `task import`: an array of objects with a `uuid`, `description`, `status` and dates.
struct TaskwarriorTaskWriter: TaskWriter {
  private var count = 0

  func begin(_ output: inout [UInt8]) { output.append(UInt8(ascii: "[")) }

  mutating func add(_ task: APITask, to output: inout [UInt8]) {
    output.append(contentsOf: count == 0 ? "\n".utf8 : ",\n".utf8)
    count += 1
    var members: [String: JSON] = [
      "uuid": .string(uuid(of: task)), "description": .string(task.text),
      "status": task.completed ? "completed" : "pending",
    ]
    if let date = task.date.flatMap(TaskwarriorTime.compact) {
      members["entry"] = .string(date)
      members["modified"] = .string(date)
      if task.completed { members["end"] = .string(date) }
    }
    output.append(contentsOf: JSON.object(members).encoded().utf8)
  }

  func end(_ output: inout [UInt8]) { output.append(contentsOf: count == 0 ? "]\n".utf8 : "\n]\n".utf8) }

  /// The same in each export of a task, so that Taskwarrior recognizes it (RFC 9562, version 8). A task without an ID
  /// uses its place in the list.
  private func uuid(of task: APITask) -> String {
    let identity = [task.owner ?? "", task.writtenID ?? "#\(count)"].joined(separator: "\n")
    return SHA256.hash(identity.utf8).uuid(version: 8)
  }
}

/// The times of Taskwarrior.
enum TaskwarriorTime {
  /// `20160301T102030Z` for `2016-03-01T10:20:30.000Z` and other forms of ISO 8601; nil without a time, or for one not
  /// in UTC.
  static func compact(_ date: String) -> String? {
    let bytes = Array(date.utf8)
    guard bytes.count >= 19,
      bytes[..<19].matches("0000-00-00T00:00:00") || bytes[..<19].matches("0000-00-00 00:00:00")
    else { return nil }
    var zone = bytes[19...]
    if zone.first == UInt8(ascii: ".") { zone = zone.dropFirst().drop(while: isDigit) }
    guard zone.isEmpty || zone.elementsEqual("Z".utf8) || zone.elementsEqual("+00:00".utf8) else { return nil }
    let digits = bytes[..<19].filter(isDigit)
    return String(decoding: digits[..<8] + "T".utf8 + digits[8...] + "Z".utf8, as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
