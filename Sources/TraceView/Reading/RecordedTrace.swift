import Core
import JSON
package import Trace

/// A trace, read.
package struct RecordedTrace {
  /// For people: the file's name.
  let name: String
  let header: JSON
  /// The lines between the first and the last, in the order of time.
  private(set) var events: [TraceEvent] = []
  /// The last line; nil if the run did not come to its end.
  private(set) var end: JSON?
  /// True if the file stops within a line.
  private(set) var isTorn = false
  private(set) var lines = 1

  /// - Throws: `TraceError` for a file that is no trace.
  package init(_ input: TraceInput) throws(TraceError) { try self.init(input.file, name: input.name) }

  /// - Parameter file: a regular file, read from its beginning.
  init(_ file: CInt, name: String) throws(TraceError) {
    self.name = name
    let source = TraceLines(file, name: name)
    guard let first = try source.next() else { throw .notATrace(name, "it is empty") }
    guard let header = try? JSON(parsing: first.line), header["type"]?.string == "trace" else {
      throw .notATrace(name, "its first line is no JSON object of the type trace")
    }
    guard let version = header.integer("version"), version > 0 else {
      throw .notATrace(name, "its first line has no version")
    }
    guard version <= TraceFormat.version else { throw .newer(name, version) }
    self.header = header
    while let (line, isWhole) = try source.next() {
      guard let json = try? JSON(parsing: line), let event = TraceEvent(json) else {
        guard !isWhole else { throw .malformed(name, line: lines + 1) }
        isTorn = true
        break
      }
      lines += 1
      if event.type == "end" { end = json } else { events.append(event) }
    }
    events.sort { ($0.at, $0.id) < ($1.at, $1.id) }
  }

  /// A sentence about the missing end; nil for a whole trace.
  package var warning: String? {
    guard end == nil else { return nil }
    return isTorn
      ? "\(name) is cut off within line \(lines + 1); shown is what is before"
      : "\(name) has no end: the run was killed, or is still running; the page shows the recorded part"
  }

  /// The parameters of the authorization request that an event's address names by a `request_uri` (RFC 9126).
  func pushedParameters(of event: TraceEvent) -> [(name: String, value: String)] {
    guard let url = event.text("url") ?? event.json["request"]?["url"]?.string,
      let name = WebAddress(url).field("request_uri"),
      let pushed = events.first(where: { $0.requestURI == name })
    else { return [] }
    // The client proves there who it is, which is no part of the authorization request.
    let own: Set = ["client_secret", "client_assertion", "client_assertion_type"]
    return (pushed.json["request"]?["body"]?["form"]?.pairs ?? []).filter { !own.contains($0.name) }
  }

  var leftOut: [String] { end?["left_out"]?.array?.compactMap(\.string) ?? [] }
  var exitStatus: Int? { end?.integer("status") }
  /// ISO 8601
  var started: String { header["started"]?.string ?? "" }
  var script: String? { header["script"]?.string }
  var requestCount: Int {
    events.reduce(0) { $0 + ($1.type == "exchange" ? 1 : $1.json["rows"]?.array?.count ?? 0) }
  }
  /// The known addresses with the parties that they belong to, the longest in front.
  var addresses: [(url: String, party: String)] {
    ([header["parties"] ?? .null] + events.filter { $0.type == "parties" }.map(\.json)).flatMap { parties in
      ["authority", "tasks"].flatMap { name in
        (parties[name]?.array ?? []).compactMap(\.string).map { (url: $0, party: name) }
      }
    }.sorted { ($0.url.utf8.count, $1.url) > ($1.url.utf8.count, $0.url) }
  }
  /// Microseconds to the end of the last event.
  var length: Int { max(end?.integer("at") ?? 0, events.map { $0.at + ($0.took ?? 0) }.max() ?? 0) }
}
