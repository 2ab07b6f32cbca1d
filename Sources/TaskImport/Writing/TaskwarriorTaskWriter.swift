import Core
import JOSE
import JSON
import TaskAPI

/// What `task import` of Taskwarrior takes: an array of objects with a `uuid`, `description`, `status` and dates.
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

  func end(_ output: inout [UInt8]) {
    output.append(contentsOf: count == 0 ? "]\n".utf8 : "\n]\n".utf8)
  }

  /// The same for the same task each time, so that Taskwarrior knows it again (RFC 9562, version 8). A task without an
  /// ID has its place in the list.
  private func uuid(of task: APITask) -> String {
    let identity = [task.owner ?? "", task.writtenID ?? "#\(count)"].joined(separator: "\n")
    return SHA256.hash(identity.utf8).uuid(version: 8)
  }
}
