import Glibc

extension FileBuffer {
  /// Throws when a file begins as UTF-16 or UTF-32 does, with a byte order mark or with the zeros of Latin letters.
  func refuseOtherEncodings(_ bytes: UnsafeRawBufferPointer) throws(ImportError) {
    let encoding: String
    switch (
      bytes.count > 0 ? bytes[0] : 0xA, bytes.count > 1 ? bytes[1] : 0xA,
      bytes.count > 3 ? (bytes[2], bytes[3]) : (0xA, 0xA)
    ) {
    case (0xFF, 0xFE, (0, 0)), (0, 0, (0xFE, 0xFF)): encoding = "UTF-32"
    case (0xFF, 0xFE, _), (0xFE, 0xFF, _): encoding = "UTF-16"
    case (1..., 0, (0, 0)): encoding = "UTF-32LE"
    case (0, 0, (0, 1...)): encoding = "UTF-32BE"
    case (1..., 0, (1..., 0)): encoding = "UTF-16LE"
    case (0, 1..., (0, 1...)): encoding = "UTF-16BE"
    default: return
    }
    throw ImportError(
      kind: .invalidUTF8, message: "\(name) is \(encoding), expected UTF-8",
      hint: "convert it: iconv -f \(encoding) -t UTF-8", line: 1)
  }

  /// The byte behind the window is not UTF-8.
  /// - Parameter line: the one on which the window begins.
  func invalidUTF8(_ byte: UInt8, line first: Int) -> ImportError {
    let line = first + lineBreaks(in: window)
    let digits = String(byte, radix: 16, uppercase: true)
    return ImportError(
      kind: .invalidUTF8,
      message: "\(name):\(line): the file is not UTF-8: byte 0x\(digits) at offset \(consumed + end - start)",
      hint: "convert it: iconv -f WINDOWS-1252 -t UTF-8", line: line)
  }
}
