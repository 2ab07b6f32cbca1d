import Core
import Crypto
import Files
import JSON
import Trace

extension ReplayTape {
  /// Reads the tape of the trace at `path`.
  /// - Throws: `TraceError` for another file than a trace; `ReplayError` for a trace that cannot be replayed.
  package init(ofTrace path: String) throws {
    let file: OpenFile
    do { file = try OpenFile(path, .reading) } catch { throw TraceError.unreadable(path, error.reason) }
    let lines = TraceLines(file.descriptor, name: path)
    let hash = StreamedHash()
    guard let first = try lines.next(), let header = try? JSON(parsing: first.line), header["type"]?.string == "trace"
    else { throw TraceError.notATrace(path, "its first line is no JSON object of the type trace") }
    if let version = header.integer("version"), version > TraceFormat.version { throw TraceError.newer(path, version) }
    var line = first.line
    while true {
      let bytes = line + [UInt8(ascii: "\n")]
      bytes.withUnsafeBytes { hash.add($0) }
      guard let next = try lines.next(), next.isWhole else {
        let program = header["program"]?.string ?? "another program"
        throw ReplayError.notReplayable(path, "\(program) recorded it without --replayable, or was killed")
      }
      line = next.line
      // Most lines are others, and long.
      guard let event = try? JSON(parsing: line) else { continue }
      guard event["type"]?.string == SealedTape.type else { continue }
      self = try SealedTape.open(event, after: hash.end(), path: path)
      return
    }
  }
}
