import Files
import Glibc
package import Trace

/// A trace that can be read several times: a file, or a copy of the output of a pipe.
package final class TraceInput {
  private static let pieceSize = 256 << 10

  /// For people.
  package let name: String
  private let source: OpenFile
  /// A regular file, open for as long as this lives.
  package var file: CInt { source.descriptor }

  /// Opens the file at `path`, or standard input for `-`. A pipe is read to its end.
  package init(_ path: String) throws(TraceError) {
    name = path == "-" ? "standard input" : path
    do {
      let file = path == "-" ? try OpenFile.standardInput() : try OpenFile(path, .streaming)
      source = try file.status().st_mode & S_IFMT == S_IFREG ? file : try Self.copy(file)
    } catch { throw .unreadable(name, error.reason) }
  }

  private static func copy(_ source: OpenFile) throws(FileFailure) -> OpenFile {
    let file = try TemporaryPlace.openFile("b2c-run-trace-")
    var piece = [UInt8](repeating: 0, count: pieceSize)
    while true {
      let count = try source.read(into: &piece)
      if count == 0 { return file }
      try file.write(piece[..<count])
    }
  }
}
