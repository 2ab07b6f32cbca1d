import JSON
import TaskAPI

/// JSON objects: one array of them, an element a line, or one a line (NDJSON).
///
/// An object has `id`, `text`, `completed`, `owner` and `date`, whatever the server calls them, and the server's other
/// members unchanged.
struct JSONTaskWriter: TaskWriter {
  enum Layout { case array, lines }

  let layout: Layout
  private var isFirst = true

  init(layout: Layout) { self.layout = layout }

  func begin(_ output: inout [UInt8]) { if layout == .array { output.append(UInt8(ascii: "[")) } }

  mutating func add(_ task: APITask, to output: inout [UInt8]) {
    if layout == .array { output.append(contentsOf: isFirst ? "\n".utf8 : ",\n".utf8) }
    isFirst = false
    var members: [(String, JSON)] = []
    if let id = task.id { members.append(("id", id)) }
    members.append(("text", .string(task.text)))
    members.append(("completed", .bool(task.completed)))
    if let owner = task.owner { members.append(("owner", .string(owner))) }
    if let date = task.date { members.append(("date", .string(date))) }
    members += task.further.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    output.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      output.append(contentsOf: JSON.string(member.0).encoded().utf8)
      output.append(UInt8(ascii: ":"))
      output.append(contentsOf: member.1.encoded().utf8)
    }
    output.append(UInt8(ascii: "}"))
    if layout == .lines { output.append(UInt8(ascii: "\n")) }
  }

  func end(_ output: inout [UInt8]) {
    if layout == .array { output.append(contentsOf: isFirst ? "]\n".utf8 : "\n]\n".utf8) }
  }
}
