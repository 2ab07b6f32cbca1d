import Core
import Crypto
import HTTPClient
package import HostLoop
import JOSE
package import JSON

/// Records the events of a run as they happen. Secrets are taken out before a line is written. Memory use is constant.
@HostActor
package final class TraceRecorder {
  /// Writes the page of a trace: from the descriptor of its events to that of the page. The name is the trace's.
  package typealias PageWriter = (_ events: CInt, _ output: CInt, _ name: String) throws -> Void

  /// The number of bytes that are kept of one body, and of all bodies together.
  static let largestBody = RecordedExchange.streamedBodySize
  static let mostBodies = 32 << 20

  /// Says in a sentence why the run is being stopped; nil while nobody stops it.
  package var whyStopped: () -> String? = { nil }

  /// Makes the members of the event with what a replay needs, from the digest of all lines before.
  package typealias Sealing = @HostActor (_ digest: [UInt8]) throws -> [String: JSON]

  private let file: TraceFile
  /// Nil for a trace that is not to be replayed, and once it is sealed.
  private var seal: (hash: StreamedHash, members: Sealing)?
  private let writePage: PageWriter
  private let startedAt = HostLoop.uptime
  private var lastID = 0
  private var isOver = false
  var redaction = TraceRedaction()
  var parties = Parties()
  var bodiesLeft = TraceRecorder.mostBodies
  var bodiesLeftOut = 0
  var series = SeriesLog()

  /// Opens the file, which replaces an existing one, and writes the first line.
  /// - Parameter program: name and version.
  /// - Parameter script: the name of the script in messages.
  /// - Parameter writePage: writes a trace of the format `html`.
  /// - Parameter sealing: nil for a trace that is not to be replayed.
  package init(
    _ path: String, _ format: TraceFormat, program: String, lua: String, script: String?,
    sealing: Sealing? = nil, writePage: @escaping PageWriter
  ) throws(TraceError) {
    file = try TraceFile(path, format)
    seal = sealing.map { (StreamedHash(), $0) }
    self.writePage = writePage
    var first: [String: JSON] = [
      "version": JSON(TraceFormat.version), "program": .string(program), "lua": .string(lua),
      "started": .string(UnixTime.now.iso(fractionDigits: 6)),
    ]
    first["script"] = script.map { .string(redaction.text($0)) }
    write("trace", at: startedAt, members: first)
  }

  /// Writes an event, with members without secrets.
  /// - Parameter start: by `HostLoop.uptime`; nil for a moment that is now.
  func write(
    _ type: String, from start: Double? = nil, at place: EventPlace? = nil, members: [String: JSON],
    error: (any Error)? = nil
  ) {
    let now = HostLoop.uptime
    var all = members
    if let error { all["error"] = self.error(error) }
    if let place { all.merge(place.members) { own, _ in own } }
    if let start { all["took"] = .integer(microseconds(now - start)) }
    write(type, at: start ?? now, members: all)
  }

  func write(_ type: String, at time: Double, members: [String: JSON]) {
    guard !isOver else { return }
    flushSeries()
    for token in redaction.takeNewTokens() { write(token) }
    lastID += 1
    var members = members
    members["type"] = .string(type)
    members["id"] = JSON(lastID)
    members["at"] = .integer(microseconds(at: time))
    write(line: Array((JSON.object(members).encoded() + "\n").utf8))
  }

  private func write(line: [UInt8]) {
    if let hash = seal?.hash { line.withUnsafeBytes { hash.add($0) } }
    file.write(line)
  }

  /// Writes a line that is ready but for its end: `{"…":…`, of an event of that time.
  func write(series line: [UInt8], at time: Int64) {
    guard !isOver else { return }
    lastID += 1
    let end = #","at":\#(time),"id":\#(lastID),"type":"exchanges"}"# + "\n"
    write(line: line + end.utf8)
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

  /// Writes the last line, and makes the trace's file. Throws `TraceError` if the trace is missing or not whole.
  package func finish(status: Int) throws {
    guard !isOver else { return }
    flushSeries()
    let problem = writeSeal()
    var last: [String: JSON] = ["status": JSON(status), "events": JSON(lastID + 1)]
    let omissions = omissions
    if !omissions.isEmpty { last["left_out"] = .array(omissions.map { .string($0) }) }
    write("end", members: last)
    isOver = true
    if let problem { throw problem }
    if let problem = file.problem { throw TraceError.unwritable("the trace \(file.path)", problem) }
    switch file.format {
    case .json: break
    case .html: try file.replace { try writePage($0, $1, file.path) }
    case .har: try file.replace { try HARWriter.write(events: $0, to: $1) }
    }
  }

  /// Writes the event with what a replay needs. Returns the error without it: the trace is whole all the same.
  private func writeSeal() -> (any Error)? {
    guard let (hash, members) = seal else { return nil }
    seal = nil
    do { write("replay", members: try members(hash.end())) } catch { return error }
    return nil
  }

  private var omissions: [String] {
    var sentences: [String] = []
    if bodiesLeftOut > 0 {
      sentences.append(
        "\(bodiesLeftOut) bodies, of which all together would be larger than \(Self.mostBodies >> 20) MiB")
    }
    if series.count > 0 {
      sentences.append("headers and bodies of \(series.count) requests that were like others before them")
    }
    return sentences
  }
}

extension EventPlace {
  var members: [String: JSON] {
    var members: [String: JSON] = [:]
    members["line"] = line.map { .string($0) }
    members["call"] = call.map { .string($0) }
    if !via.isEmpty { members["via"] = .array(via.map { .string($0) }) }
    members["coroutine"] = coroutine.map { JSON($0) }
    return members
  }
}
