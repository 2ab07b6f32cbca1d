import Archives
import Markup

/// The rows of a sheet as CSV, separated by commas: the text that a spreadsheet program would save, with dates as in ISO
/// 8601. A row ends with its last filled cell. An empty row is an empty line.
package final class SheetText {
  private let archive: ArchiveReader
  private let stream: XMLStream
  private let rows: SheetRows
  private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
  private var handedOut = 0
  private var isAtEnd = false

  init(_ archive: ArchiveReader, _ stream: XMLStream, _ rows: SheetRows) {
    (self.archive, self.stream, self.rows) = (archive, stream, rows)
  }

  deinit { piece.deallocate() }

  /// Reads the next bytes; 0 at the end.
  package func read(into target: UnsafeMutableRawBufferPointer) throws(WorkbookError) -> Int {
    while handedOut == rows.output.count {
      rows.clear()
      handedOut = 0
      if isAtEnd { return 0 }
      try parse()
    }
    let count = min(target.count, rows.output.count - handedOut)
    rows.output.withUnsafeBytes {
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[handedOut..<handedOut + count]))
    }
    handedOut += count
    return count
  }

  /// The bytes of the file that were read so far.
  package var position: Int { archive.position }

  /// Why rows up to those that were read cannot be used, by their numbers. Each is returned once.
  package func takeFaults() -> [(row: Int, reason: String)] { rows.takeFaults() }

  private func parse() throws(WorkbookError) {
    let count = try WorkbookError.wrapping { () throws(ArchiveError) in try archive.read(into: piece) }
    try WorkbookError.wrapping { () throws(MarkupError) in
      if count > 0 { try stream.add(UnsafeRawBufferPointer(rebasing: piece[..<count])) } else { try stream.finish() }
    }
    isAtEnd = count == 0
    if let error = rows.error { throw error }
  }

  /// True if the sheet has a row with two cells, or two rows. It reads the sheet, so that it is of no other use.
  func hasTable() throws(WorkbookError) -> Bool {
    while !isAtEnd, rows.width < 2, rows.count < 2 { try parse() }
    return rows.width >= 2 || rows.width == 1 && rows.count >= 2
  }
}
