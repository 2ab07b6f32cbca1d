package import Encodings
package import Files
import Glibc
package import TableReading
import Workbooks

/// A file of rows that is open to be read, or standard input.
package struct SourceFile: Sendable {
  /// The path as it was given; "-" for standard input.
  let path: String
  let file: OpenFile?
  /// The entry of an archive, or the sheet of a workbook, with the rows; nil to take the only one.
  package var part: String?
  /// The file as a workbook, if it was opened already: its texts are read once.
  var book: Workbook?
  /// Nil to find it by the bytes.
  package var encoding: TextEncoding?
  /// The line with the names of the columns; nil to find it.
  package var header: TableShape.Header?
  /// The lines above the table that are passed over.
  package var skippedLines = 0
  /// The plain names of the columns that a map takes: a line with them is the header.
  var columns: Set<String> = []

  /// Expects a header with the columns of a map.
  package mutating func expect(_ mapping: RowMapping?) {
    columns = Set((mapping?.pairs ?? []).map { ColumnNames.plain($0.column) })
  }

  package static let standardInput = SourceFile(path: "-", file: nil)

  /// - Parameter path: as it was given, for messages.
  /// - Throws: `ImportError` for a file that cannot be opened, and other errors of `opener`.
  package init(_ path: String, _ opener: (Opening) throws -> OpenFile) throws {
    do { self.init(path: path, file: try opener(.streaming)) } catch let failure as FileFailure {
      throw failure.number == ENOENT
        ? ImportError(kind: .fileNotFound, message: "\(path) does not exist")
        : ImportError(kind: .unreadable, message: "\(path) cannot be opened: \(failure.reason)")
    }
  }

  private init(path: String, file: OpenFile?) {
    self.path = path
    self.file = file
  }

  var name: String { file == nil ? "standard input" : path }

  /// Goes back to the first byte of a file, to read it once more.
  func rewind() { if let file { lseek(file.descriptor, 0, SEEK_SET) } }
}
