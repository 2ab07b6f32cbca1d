package import Core
import Files
import Glibc
package import JSON

/// A call that an agent has made.
package struct CallRecord: Sendable, Equatable {
  package var time: UnixTime
  package var session: String
  /// As the client names itself, and the subject of its token.
  package var client: String
  package var person: String?
  package var tool: String
  package var arguments: JSON
  /// `ok`, `in part` if some rows were not carried out, `failed`, `refused`, or `waits` for an approval.
  package var outcome: String
  /// The reason of another outcome than `ok`.
  package var reason: String?
  /// The change that was carried out, and who approved it.
  package var digest: String?
  package var approvedBy: String?

  package init(session: String, client: String, person: String?, tool: String, arguments: JSON, outcome: String = "ok")
  {
    time = .now
    self.session = session
    self.client = client
    self.person = person
    self.tool = tool
    self.arguments = arguments
    self.outcome = outcome
  }

  package static func == (left: CallRecord, right: CallRecord) -> Bool { left.json == right.json }

  package var json: JSON {
    var members: [String: JSON] = [
      "time": .string(time.iso(fractionDigits: 3)), "session": .string(session), "client": .string(client),
      "tool": .string(tool), "arguments": arguments, "outcome": .string(outcome),
    ]
    members["person"] = person.map(JSON.string)
    members["reason"] = reason.map(JSON.string)
    members["digest"] = digest.map(JSON.string)
    members["approved_by"] = approvedBy.map(JSON.string)
    return .object(members)
  }

  /// Nil for an object without a time or a tool.
  init?(_ json: JSON) {
    guard let time = json["time"]?.string.flatMap({ UnixTime(iso: $0) }), let tool = json["tool"]?.string else {
      return nil
    }
    self.init(
      session: json["session"]?.string ?? "", client: json["client"]?.string ?? "", person: json["person"]?.string,
      tool: tool, arguments: json["arguments"] ?? .null, outcome: json["outcome"]?.string ?? "")
    self.time = time
    reason = json["reason"]?.string
    digest = json["digest"]?.string
    approvedBy = json["approved_by"]?.string
  }
}

/// The log of calls: a JSON object for each call, a line each.
package struct CallLog: Sendable {
  private static let mostBytes = 16 << 20
  private static let longestLine = 16 << 10

  private let folder: AgentFolder

  package init(_ folder: AgentFolder) { self.folder = folder }

  /// Adds a call. Secrets are replaced, and long arguments are left out.
  package func add(_ record: CallRecord) throws {
    var record = record
    if record.json.encoded().utf8.count > Self.longestLine {
      record.arguments = ["left_out": .string("\(record.arguments.encoded().utf8.count) bytes")]
      record.reason = record.reason.map { String($0.prefix(2000)) }
    }
    try folder.make()
    if let size = FileSystem.status(of: folder.log)?.st_size, size > Self.mostBytes {
      _ = FileSystem.rename(folder.log, folder.earlierLog)
    }
    let file = try OpenFile(folder.log, Opening(O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o600))
    try file.write(Array("\(OutputText(record.json.encoded()).text)\n".utf8))
  }

  /// The last calls, the latest first.
  package func last(_ count: Int) throws -> [CallRecord] {
    var records: [CallRecord] = []
    for path in [folder.log, folder.earlierLog] where records.count < count && FileSystem.exists(path) {
      let lines = try FileSystem.contents(of: path, limit: 2 * Self.mostBytes).split(separator: UInt8(ascii: "\n"))
      for line in lines.reversed() where records.count < count {
        // A line that a crash has cut off is not read.
        guard let json = try? JSON(parsing: Array(line)), let record = CallRecord(json) else { continue }
        records.append(record)
      }
    }
    return records
  }
}
