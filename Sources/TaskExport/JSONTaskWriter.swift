import ImportFormats
import JSON
import TaskAPI

/// JSON objects: an array of them, an element a line, or one a line (NDJSON).
struct JSONTaskWriter: TaskWriter {
  private let isArray: Bool
  /// The members of the object of a task, by its number from 1.
  private let members: (APITask, Int) -> [(String, JSON)]
  private var count = 0

  init(isArray: Bool, members: @escaping (APITask, Int) -> [(String, JSON)] = { task, _ in task.members }) {
    self.isArray = isArray
    self.members = members
  }

  func begin(_ output: inout [UInt8]) { if isArray { output.append(UInt8(ascii: "[")) } }

  mutating func add(_ task: APITask, to output: inout [UInt8]) {
    if isArray { output.append(contentsOf: count == 0 ? "\n".utf8 : ",\n".utf8) }
    count += 1
    output.append(UInt8(ascii: "{"))
    for (index, member) in members(task, count).enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      output.append(contentsOf: JSON.string(member.0).encoded().utf8)
      output.append(UInt8(ascii: ":"))
      output.append(contentsOf: member.1.encoded().utf8)
    }
    output.append(UInt8(ascii: "}"))
    if !isArray { output.append(UInt8(ascii: "\n")) }
  }

  func end(_ output: inout [UInt8]) { if isArray { output.append(contentsOf: count == 0 ? "]\n".utf8 : "\n]\n".utf8) } }
}

extension APITask {
  /// The common fields, whatever the server calls them, and the server's other members unchanged.
  fileprivate var members: [(String, JSON)] {
    let known: [(String, JSON?)] =
      [
        ("id", id), ("text", .string(text)), ("completed", .bool(completed)), ("owner", owner.map(JSON.string)),
        ("date", date.map(JSON.string)),
      ] + TaskField.further.map { ($0.rawValue, value(of: $0)) } + [("list_name", listName.map(JSON.string))]
    return known.compactMap { name, value in value.map { (name, $0) } } + further.sorted { $0.key < $1.key }
  }
}
