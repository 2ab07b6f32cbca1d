import Core
import Files
import Glibc
package import JSON

extension SourceFile {
  /// The parts of a zip archive or a workbook; nil for another file, and for a pipe.
  func parts() throws(ImportError) -> Containers.Parts? {
    guard let file else { return nil }
    var status = stat()
    var beginning = [UInt8](repeating: 0, count: 4)
    guard fstat(file.descriptor, &status) == 0, pread(file.descriptor, &beginning, 4, 0) == 4,
      Containers.Kind(beginning) == .zip
    else { return nil }
    do { return try Containers.parts(file, size: Int(status.st_size)) } catch { throw error.error(name, line: 1) }
  }

  /// The names of the entries of a zip archive, or of the sheets of a workbook; empty for another file.
  package func partNames() throws(ImportError) -> [String] { try parts()?.names ?? [] }

  /// The JSON document of the file. Throws for another text, and for a document of more than 64 MiB.
  package func document() throws(ImportError) -> JSON {
    let buffer = try FileBuffer(self)
    let most = 64 << 20
    var bytes: [UInt8] = []
    while true {
      bytes += buffer.window
      guard bytes.count <= most else {
        throw ImportError(
          kind: .rowTooLong, message: "\(name) is a JSON document of more than \(most >> 20) MiB",
          hint: "export fewer lists at once")
      }
      buffer.consume(buffer.window.count)
      if buffer.isAtEnd { break }
      try buffer.fill(line: 1)
    }
    if let fault = buffer.faults.first {
      throw ImportError(kind: .invalidUTF8, message: "\(name):\(fault.line): \(fault.reason)", line: fault.line)
    }
    do { return try JSON(parsing: bytes) } catch {
      let place = error.line.map { ":\($0)\(error.column.map { ", column \($0)" } ?? "")" } ?? ""
      throw ImportError(
        kind: .invalidJSON, message: "\(name)\(place): \(error.reason)",
        hint: "the file may be cut off: export it again",
        line: error.line)
    }
  }
}
