import Glibc

/// The characters of an encoding in which each is a byte, as the C library knows them.
struct CodePage: Sendable {
  /// The UTF-8 of each byte; empty for a byte without a character.
  let characters: [[UInt8]]

  private init(_ encoding: TextEncoding) {
    characters = (0...255).map { Self.convert(UInt8($0), encoding.iconvName) }
  }

  /// Nil for an encoding with characters of several bytes.
  static func of(_ encoding: TextEncoding) -> CodePage? { encoding.isOfBytes ? pages[encoding] : nil }

  private static let pages: [TextEncoding: CodePage] = Dictionary(
    uniqueKeysWithValues: TextEncoding.allCases.filter(\.isOfBytes).map { ($0, CodePage($0)) })

  private static func convert(_ byte: UInt8, _ name: String) -> [UInt8] {
    // ISO 8859-1 and -15 have control characters there, which no text has.
    guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else { return [] }
    defer { iconv_close(converter) }
    var input = CChar(bitPattern: byte)
    var output = [UInt8](repeating: 0, count: 8)
    let written = withUnsafeMutablePointer(to: &input) { input in
      output.withUnsafeMutableBytes { output -> Int? in
        var source: UnsafeMutablePointer<CChar>? = input
        var target = output.baseAddress?.assumingMemoryBound(to: CChar.self)
        var (left, room) = (1, output.count)
        let result = iconv(converter, &source, &left, &target, &room)
        return result == Int(bitPattern: UInt.max) ? nil : output.count - room
      }
    }
    return written.map { Array(output[..<$0]) } ?? []
  }
}
