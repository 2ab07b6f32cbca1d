import Core
import JSON

/// Makes HAR 1.2 of a trace's events: each HTTP exchange is an entry. Facts that HAR has no place for are in `comment`.
enum HARWriter {
  /// - Parameter events: a regular file, read from its beginning.
  static func write(events: CInt, to output: CInt) throws {
    var document = TraceOutput(output, name: "the trace as HAR")
    let lines = TraceLines(events, name: "the trace")
    var number = 0
    // Microseconds since 1970.
    var start = 0
    var separator = "\n"
    while let (line, isWhole) = try lines.next(), isWhole {
      number += 1
      guard let event = try? JSON(parsing: line) else { throw TraceError.malformed("the trace", line: number) }
      switch event["type"]?.string {
      case "trace":
        start = UnixTime(iso: event["started"]?.string ?? "").map { Int(($0.seconds * 1e6).rounded()) } ?? 0
        try document.write(beginning(event))
      case "exchange", "exchanges":
        for entry in event["rows"] == nil
          ? [HAREntry.entry(event, start: start)] : HAREntry.entries(event, start: start)
        {
          try document.write(separator + entry.encoded())
          separator = ",\n"
        }
      case "end":
        let omissions = event["left_out"]?.array?.compactMap(\.string) ?? []
        let comment = ["secrets are replaced by names"] + omissions.map { "left out: \($0)" }
        try document.write("],\"comment\":\(JSON.string(comment.joined(separator: "; ")).encoded())}}\n")
        try document.flush()
      default: break
      }
    }
  }

  private static func beginning(_ event: JSON) -> String {
    let program = (event["program"]?.string ?? "b2c-run").split(separator: " ", maxSplits: 1).map(String.init)
    let creator: JSON = ["name": .string(program[0]), "version": .string(program.count > 1 ? program[1] : "")]
    let page: JSON = [
      "startedDateTime": .string(event["started"]?.string ?? ""), "id": .string(HAREntry.page),
      "title": .string(event["script"]?.string ?? "b2c-run"), "pageTimings": [:],
    ]
    return #"{"log":{"version":"1.2","creator":\#(creator.encoded()),"pages":[\#(page.encoded())],"entries":["#
  }
}
