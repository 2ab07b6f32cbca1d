import Core
import JSON

/// Makes HAR 1.2 of a trace's events: each HTTP exchange is an entry. Facts that HAR has no place for are in `comment`.
enum HARWriter {
  /// - Parameter events: a regular file, read from its beginning.
  static func write(events: CInt, to output: CInt) throws {
    var document = HARDocument(output: TraceOutput(output, name: "the trace as HAR"))
    var lines = TraceLines(events, name: "the trace")
    var number = 0
    while let (line, isWhole) = try lines.next(), isWhole {
      number += 1
      guard let event = try? JSON(parsing: line) else { throw TraceError.malformed("the trace", line: number) }
      switch event["type"]?.string {
      case "trace": try document.begin(event)
      case "exchange": try document.add(HAREntry.entry(event, start: document.start))
      case "exchanges": for entry in HAREntry.entries(event, start: document.start) { try document.add(entry) }
      case "end": try document.end(event)
      default: break
      }
    }
  }
}

/// The document, written as its entries come.
private struct HARDocument {
  var output: TraceOutput
  private var hasEntries = false
  /// Microseconds since 1970.
  private(set) var start = 0

  init(output: TraceOutput) { self.output = output }

  mutating func begin(_ event: JSON) throws(TraceError) {
    let started = event["started"]?.string ?? ""
    start = UnixTime(iso: started).map { Int(($0.seconds * 1e6).rounded()) } ?? 0
    let program = (event["program"]?.string ?? "b2c-run").split(separator: " ", maxSplits: 1).map(String.init)
    let creator: JSON = [
      "name": .string(program[0]), "version": .string(program.count > 1 ? program[1] : ""),
    ]
    let page: JSON = [
      "startedDateTime": .string(started), "id": .string(HAREntry.page),
      "title": .string(event["script"]?.string ?? "b2c-run"), "pageTimings": [:],
    ]
    try output.write(
      #"{"log":{"version":"1.2","creator":\#(creator.encoded()),"pages":[\#(page.encoded())],"entries":["#)
  }

  mutating func add(_ entry: JSON) throws(TraceError) {
    try output.write((hasEntries ? ",\n" : "\n") + entry.encoded())
    hasEntries = true
  }

  mutating func end(_ event: JSON) throws(TraceError) {
    let omissions = event["left_out"]?.array?.compactMap(\.string) ?? []
    let comment = (["secrets are replaced by names"] + omissions.map { "left out: \($0)" }).joined(separator: "; ")
    try output.write("],\"comment\":\(JSON.string(comment).encoded())}}\n")
    try output.flush()
  }
}
