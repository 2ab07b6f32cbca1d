import HTTPClient
package import HostLoop
import JOSE
import JSON
import TraceView

/// Records what a run does, an event at a time, as it happens.
///
/// What is written stays as it is: secrets are out of it before. Memory does not grow with the run.
@HostActor
package final class TraceRecorder {
  /// So much of a body is kept, and of all of them together.
  package nonisolated static let largestBody = 64 << 10
  static let mostBodies = 32 << 20

  /// Why the run is being stopped, as a sentence; nil while nobody stops it.
  package var whyStopped: () -> String? = { nil }

  private let file: TraceFile
  private let startedAt = HostLoop.uptime
  private var lastID = 0
  private var isOver = false
  var redaction = TraceRedaction()
  var parties = Parties()
  /// Bytes of bodies that may still be kept.
  var bodiesLeft = TraceRecorder.mostBodies
  var bodiesLeftOut = 0
  /// Those that are alike, until they are written.
  var series: ExchangeSeries?
  /// What the series before was of, and its request as it is written.
  var lastSeries: (post: PreparedPost, request: JSON)?
  /// By the URL of what is alike.
  var seriesCounts: [String: SeriesCount] = [:]

  /// Opens the file, and writes the first line.
  /// - Parameters:
  ///   - path: where the trace goes. A file that is there is replaced.
  ///   - program: name and version.
  ///   - script: what is run, as messages call it.
  package init(_ path: String, _ format: TraceFormat, program: String, lua: String, script: String?) throws(TraceError)
  {
    file = try TraceFile(path, format)
    var first: [String: JSON] = [
      "version": 1, "program": .string(program), "lua": .string(lua), "started": .string(WallClock.now()),
    ]
    first["script"] = script.map { .string(redaction.text($0)) }
    write("trace", at: startedAt, members: first)
  }

  /// Keeps a secret out of the trace, such as a one-time code that is about to be typed.
  package func hide(_ secret: String) { redaction.hide(secret) }

  /// Writes an event.
  /// - Parameters:
  ///   - start: when it began, by `HostLoop.uptime`; nil for a moment that is now.
  ///   - place: where in the script it was asked for.
  ///   - members: without secrets.
  @discardableResult
  func write(
    _ type: String, from start: Double? = nil, at place: TracePlace? = nil, members: [String: JSON]
  ) -> Int {
    let now = HostLoop.uptime
    var all = members
    if let place { all.merge(place.members) { own, _ in own } }
    if let start { all["took"] = .integer(microseconds(now - start)) }
    return write(type, at: start ?? now, members: all)
  }

  @discardableResult
  func write(_ type: String, at time: Double, members: [String: JSON]) -> Int {
    guard !isOver else { return lastID }
    flushSeries()
    for token in redaction.takeNewTokens() { write(token) }
    lastID += 1
    var members = members
    members["type"] = .string(type)
    members["id"] = .integer(Int64(lastID))
    members["at"] = .integer(microseconds(time - startedAt))
    file.write(Array((JSON.object(members).encoded() + "\n").utf8))
    return lastID
  }

  /// A line that is ready but for its end: `{"…":…`, of an event of that time.
  func write(series line: [UInt8], type: String, at time: Int64) {
    guard !isOver else { return }
    lastID += 1
    let end = #","at":\#(time),"id":\#(lastID),"type":"\#(type)"}"# + "\n"
    file.write(line + end.utf8)
  }

  private func write(_ token: TraceRedaction.NewToken) {
    write(
      "token", at: HostLoop.uptime,
      members: [
        "label": .string(token.label), "kind": .string(token.kind), "header": redaction.json(token.token.header),
        "claims": redaction.json(token.token.claims),
      ])
  }

  func microseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e6).rounded()) }
  func microseconds(at time: Double) -> Int64 { microseconds(time - startedAt) }

  /// Writes the last line, and what is made of the events.
  /// - Parameter status: the exit status.
  /// - Throws: `TraceError` where the trace is not there, or not whole.
  package func finish(status: Int) throws {
    guard !isOver else { return }
    flushSeries()
    var last: [String: JSON] = ["status": .integer(Int64(status)), "events": .integer(Int64(lastID + 1))]
    let omissions = omissions
    if !omissions.isEmpty { last["left_out"] = .array(omissions.map { .string($0) }) }
    write("end", members: last)
    isOver = true
    if let problem = file.problem { throw TraceError.unwritable(file.path, problem) }
    switch file.format {
    case .json: break
    case .html: try file.replace { try TracePage.write(events: $0, to: $1, name: file.path) }
    case .har: try file.replace { try HARWriter.write(events: $0, to: $1) }
    }
  }

  private var omissions: [String] {
    var sentences: [String] = []
    if bodiesLeftOut > 0 {
      sentences.append(
        "\(bodiesLeftOut) bodies, of which all together would be larger than \(Self.mostBodies >> 20) MiB")
    }
    let many = seriesCounts.values.reduce(0) { $0 + $1.inSeries }
    if many > 0 { sentences.append("headers and bodies of \(many) requests that were like others before them") }
    return sentences
  }
}
