import Core
import Crypto
import ImportFormats
import JSON
import TaskAPI

enum TaskwarriorTask {
  /// `uuid`, `description`, `status` and dates. The number of the task in its list counts from 1.
  static func members(of task: APITask, _ number: Int) -> [(String, JSON)] {
    let date = task.date.flatMap(compact).map(JSON.string)
    let end = task.completed ? time(.completedAt, of: task) ?? date : nil
    // The server tells the last change, which may be later than the end. No task ends before its entry.
    let entry = [date, end].compactMap { $0?.string }.min().map(JSON.string)
    let notes = task.value(of: .notes).map { JSON.array([["description": $0, "entry": date ?? "19700101T000000Z"]]) }
    let members: [(String, JSON?)] = [
      ("annotations", notes), ("description", .string(task.text)), ("due", time(.due, of: task)),
      ("end", end), ("entry", entry), ("modified", date), ("priority", priority(of: task)),
      ("project", task.listName.map(JSON.string)),
      ("scheduled", time(.start, of: task)), ("status", task.completed ? "completed" : "pending"),
      ("tags", task.value(of: .labels)), ("uuid", .string(uuid(of: task, number))),
    ]
    return members.compactMap { name, value in value.map { (name, $0) } }
  }

  /// A time as Taskwarrior writes it. A day is its midnight in UTC.
  private static func time(_ field: TaskField, of task: APITask) -> JSON? {
    guard let text = task.value(of: field)?.string, let time = try? TaskTime(parsing: text) else { return nil }
    return compact(time.utc ?? "\(time.day)T\(time.time ?? "00:00:00")Z").map(JSON.string)
  }

  /// 1 to 4 is high, 5 medium and 6 to 9 low (RFC 5545, 3.8.1.9).
  private static func priority(of task: APITask) -> JSON? {
    task.value(of: .priority)?.lenientInteger.map { $0 < 5 ? "H" : $0 == 5 ? "M" : "L" }
  }

  /// The same in each export of a task, for Taskwarrior to recognize it (RFC 9562, version 8); without an ID, by place.
  private static func uuid(of task: APITask, _ number: Int) -> String {
    let identity = [task.owner ?? "", task.writtenID ?? "#\(number)"].joined(separator: "\n")
    return SHA256.hash(identity.utf8).uuid(version: 8)
  }

  /// `20160301T102030Z` for `2016-03-01T10:20:30.000Z` and other ISO 8601 forms; nil without a time, or not in UTC.
  static func compact(_ date: String) -> String? {
    let bytes = Array(date.utf8)
    guard bytes.count >= 19, bytes[..<19].matches("0000-00-00T00:00:00") || bytes[..<19].matches("0000-00-00 00:00:00")
    else { return nil }
    var zone = bytes[19...]
    if zone.first == UInt8(ascii: ".") { zone = zone.dropFirst().drop(while: isDigit) }
    guard zone.isEmpty || zone.elementsEqual("Z".utf8) || zone.elementsEqual("+00:00".utf8) else { return nil }
    let digits = bytes[..<19].filter(isDigit)
    return String(decoding: digits[..<8] + "T".utf8 + digits[8...] + "Z".utf8, as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
