/// A row at the beginning of a table, read with one separator.
package struct SampleRow: Sendable, Equatable {
  /// Its first line, counting from 1.
  package let line: Int
  /// The offset of its first byte in the sample.
  package var offset = 0
  /// The cells without their quotes and without blanks around them.
  package var cells: [String]
  /// True if a quote is not closed, or stands where none may be.
  package var isBroken = false
  /// True if a blank stands behind a separator and begins a cell without quotes.
  package var hasBlanks = false

  /// The number of cells up to the last one that is not empty.
  var filledWidth: Int { (cells.lastIndex { !$0.isEmpty } ?? -1) + 1 }
  var filled: Int { cells.count { !$0.isEmpty } }

  /// So many lines may be in one quoted cell of a sample; more come from a stray quote.
  private static let mostLines = 200

  /// The rows of a sample without empty lines.
  /// - Parameters:
  ///   - isWhole: false if the last line may be incomplete; it is left out.
  ///   - most: so many rows are enough.
  package static func rows(
    _ text: UnsafeRawBufferPointer, separator: UInt8, isWhole: Bool, most: Int = .max
  ) -> [SampleRow] {
    var reader = Reader(bytes: text, separator: separator)
    var rows: [SampleRow] = []
    while rows.count < most, let row = reader.next() {
      if !isWhole, reader.position >= text.count { break }
      if row.cells != [""] { rows.append(row) }
    }
    return rows
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    let separator: UInt8
    var position = 0
    var line = 1

    init(bytes: UnsafeRawBufferPointer, separator: UInt8) { (self.bytes, self.separator) = (bytes, separator) }

    mutating func next() -> SampleRow? {
      guard position < bytes.count else { return nil }
      var row = SampleRow(line: line, offset: position, cells: [])
      while true {
        var start = position
        // A blank before a quote, as in `a, "b, c"`.
        while start < bytes.count, bytes[start] == 0x20, separator != 0x20 { start += 1 }
        if start < bytes.count, bytes[start] == 0x22, let cell = quoted(start) {
          row.cells.append(cell)
        } else {
          if start < bytes.count, bytes[start] == 0x22 { row.isBroken = true }
          if start > position, !row.cells.isEmpty { row.hasBlanks = true }
          row.cells.append(plain())
        }
        if position < bytes.count, bytes[position] == separator {
          position += 1
          continue
        }
        endLine()
        return row
      }
    }

    private mutating func plain() -> String {
      let start = position
      while position < bytes.count, bytes[position] != separator, bytes[position] != 0x0A, bytes[position] != 0x0D {
        position += 1
      }
      return text(start, position)
    }

    /// The cell whose quote is at `start`, if the quote is closed before a separator or the end of a line; else it does not move.
    private mutating func quoted(_ start: Int) -> String? {
      var index = start + 1
      var cell: [UInt8] = []
      var lines = 0
      while index < bytes.count {
        let byte = bytes[index]
        if byte == 0x22 {
          if index + 1 < bytes.count, bytes[index + 1] == 0x22 {
            index += 1
          } else {
            var end = index + 1
            while end < bytes.count, bytes[end] == 0x20 { end += 1 }
            guard end == bytes.count || bytes[end] == separator || bytes[end] == 0x0A || bytes[end] == 0x0D else {
              return nil
            }
            position = end
            line += lines
            return String(decoding: cell, as: UTF8.self)
          }
        } else if byte == 0x0A || byte == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A) {
          lines += 1
          if lines > SampleRow.mostLines { return nil }
        }
        cell.append(byte)
        index += 1
      }
      return nil
    }

    private mutating func endLine() {
      guard position < bytes.count else { return }
      let isPair = bytes[position] == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A
      position += isPair ? 2 : 1
      line += 1
    }

    private func text(_ start: Int, _ end: Int) -> String {
      var (start, end) = (start, end)
      while start < end, bytes[start] == 0x20 { start += 1 }
      while end > start, bytes[end - 1] == 0x20 { end -= 1 }
      return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }
  }
}
