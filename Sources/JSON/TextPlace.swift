import Glibc

struct TextPlace: Sendable {
  var index = 0
  /// The number of bytes before the place.
  private(set) var offset = 0
  /// Counted from 1; the column in characters.
  private(set) var line = 1
  private(set) var column = 1

  /// Goes behind a byte order mark at the beginning of the text, which is in no column.
  mutating func skipByteOrderMark() {
    index += 3
    offset += 3
  }

  mutating func advance(to end: Int, in bytes: UnsafeRawBufferPointer) {
    guard end > index, let base = bytes.baseAddress else { return }
    offset += end - index
    while index < end, let newline = memchr(base + index, 0x0A, end - index) {
      line += 1
      column = 1
      index = UnsafeRawPointer(newline) - base + 1
    }
    // In UTF-8, each character has exactly one byte that is no continuation byte.
    for byte in bytes[index..<end] where byte & 0xC0 != 0x80 { column += 1 }
    index = end
  }
}
