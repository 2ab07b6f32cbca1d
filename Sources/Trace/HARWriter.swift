import Glibc
import JSON

/// Makes HAR 1.2 of a trace's events: its HTTP exchanges, each an entry. What HAR has no place for is in `comment`.
enum HARWriter {
  /// - Parameter events: readable, at its beginning.
  static func write(events: CInt, to output: CInt) throws {
    var writer = HARDocument(output)
    var lines = EventLines(events)
    while let event = try lines.next() {
      switch event["type"]?.string {
      case "trace": writer.begin(event)
      case "exchange": writer.add(HAREntry.entry(event, start: writer.start))
      case "exchanges": for entry in HAREntry.entries(event, start: writer.start) { writer.add(entry) }
      case "end": writer.end(event)
      default: break
      }
      if let problem = writer.problem { throw TraceError.unwritable("as HAR", problem) }
    }
  }
}

/// The document, written as its entries come.
private struct HARDocument {
  private let output: CInt
  private var buffer: [UInt8] = []
  private var hasEntries = false
  /// Microseconds since 1970.
  private(set) var start = 0
  private(set) var problem: CInt?

  init(_ output: CInt) { self.output = output }

  mutating func begin(_ event: JSON) {
    let started = event["started"]?.string ?? ""
    start = WallClock.microseconds(started) ?? 0
    let program = (event["program"]?.string ?? "b2c-run").split(separator: " ", maxSplits: 1).map(String.init)
    let creator: JSON = [
      "name": .string(program[0]), "version": .string(program.count > 1 ? program[1] : ""),
    ]
    let page: JSON = [
      "startedDateTime": .string(started), "id": .string(HAREntry.page),
      "title": .string(event["script"]?.string ?? "b2c-run"), "pageTimings": [:],
    ]
    write(
      #"{"log":{"version":"1.2","creator":\#(creator.encoded()),"pages":[\#(page.encoded())],"entries":["#)
  }

  mutating func add(_ entry: JSON) {
    write((hasEntries ? ",\n" : "\n") + entry.encoded())
    hasEntries = true
  }

  mutating func end(_ event: JSON) {
    let omissions = event["left_out"]?.array?.compactMap(\.string) ?? []
    let comment = (["secrets are replaced by names"] + omissions.map { "left out: \($0)" }).joined(separator: "; ")
    write("],\"comment\":\(JSON.string(comment).encoded())}}\n")
    flush()
  }

  private mutating func write(_ text: String) {
    buffer += text.utf8
    if buffer.count >= 64 << 10 { flush() }
  }

  private mutating func flush() {
    problem = problem ?? TraceFile.write(buffer[...], to: output)
    buffer.removeAll(keepingCapacity: true)
  }
}
