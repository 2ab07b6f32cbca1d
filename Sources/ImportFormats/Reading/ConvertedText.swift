import Encodings

/// The text of a file in another encoding, as UTF-8.
struct ConvertedText {
  private static let pieceSize = 64 << 10

  let encoding: TextEncoding
  private var transcoder: Transcoder
  /// Bytes of the file that were read and not converted.
  private var raw: [UInt8]
  private var output: [UInt8] = []
  private var handedOut = 0
  private var isAtEnd = false
  private var faults: [LineFault] = []

  /// - Parameter beginning: the bytes that were read already.
  init(_ encoding: TextEncoding, beginning: [UInt8]) {
    self.encoding = encoding
    transcoder = Transcoder(encoding)
    raw = beginning
  }

  /// Reads the next bytes of UTF-8; 0 at the end.
  mutating func read(into target: UnsafeMutableRawBufferPointer, from input: FileInput) throws(FileProblem) -> Int {
    while handedOut == output.count, !isAtEnd { try convert(input) }
    let count = min(target.count, output.count - handedOut)
    output.withUnsafeBytes {
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[handedOut..<handedOut + count]))
    }
    handedOut += count
    return count
  }

  mutating func takeFaults() -> [LineFault] {
    defer { faults = [] }
    return faults
  }

  private mutating func convert(_ input: FileInput) throws(FileProblem) {
    if raw.isEmpty {
      raw = [UInt8](repeating: 0, count: Self.pieceSize)
      let count = try raw.withUnsafeMutableBufferPointer { target throws(FileProblem) in
        try input.read(into: UnsafeMutableRawBufferPointer(target))
      }
      raw.removeLast(raw.count - count)
      isAtEnd = count == 0
    }
    output.removeAll(keepingCapacity: true)
    handedOut = 0
    raw.withUnsafeBytes { transcoder.convert($0, isLast: isAtEnd, to: &output) }
    raw = []
    faults += transcoder.faults.map { LineFault(line: $0.line, reason: $0.reason) }
  }
}
