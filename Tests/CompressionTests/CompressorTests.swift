import Compression
import Testing

@Suite struct CompressorTests {
  /// Text that compresses, and bytes that do not, of more than any window or room in between.
  static let data: [UInt8] = {
    var state: UInt32 = 7
    return (0..<1_500_000).map { index in
      state = state &* 1_664_525 &+ 1_013_904_223
      return index % 300_000 < 150_000 ? UInt8(ascii: "a") + UInt8(index % 26) : UInt8(truncatingIfNeeded: state >> 16)
    }
  }()

  @Test(arguments: CompressionFormat.allCases, [1 << 10, 1 << 16, 1 << 21])
  func whatIsWrittenIsRead(format: CompressionFormat, pieceSize: Int) throws {
    let packed = try compressed(Self.data, format, pieceSize: pieceSize)
    #expect(packed.count < Self.data.count * 3 / 5)
    #expect(CompressionFormat(magic: packed.prefix(4)) == format)
    #expect(try decompressed(packed, format, pieceSize: pieceSize) == Self.data)
  }

  @Test(arguments: CompressionFormat.allCases) func nothing(format: CompressionFormat) throws {
    let packed = try compressed([], format)
    #expect(!packed.isEmpty)
    #expect(try decompressed(packed, format) == [])
  }

  @Test(
    arguments: [
      ("tasks.csv.gz", .gzip), ("TASKS.CSV.GZ", .gzip), ("a/b.ndjson.zst", .zstd), ("tasks.csv", nil), ("gz", nil),
    ] as [(String, CompressionFormat?)])
  func byName(path: String, format: CompressionFormat?) {
    #expect(CompressionFormat(path: path) == format)
  }

  /// RFC 8878, 3.1.2: pzstd and seekable archives begin so.
  @Test(arguments: [0x50, 0x5F] as [UInt8]) func skippableFrame(first: UInt8) throws {
    let frame: [UInt8] = [first, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]
    let packed = frame + (try compressed(Self.data, .zstd))
    #expect(CompressionFormat(magic: packed.prefix(4)) == .zstd)
    #expect(try decompressed(packed, .zstd) == Self.data)
  }

  @Test func byContent() {
    #expect(CompressionFormat(magic: [0x1F, 0x8B, 8, 0]) == .gzip)
    #expect(CompressionFormat(magic: [0x28, 0xB5, 0x2F, 0xFD]) == .zstd)
    #expect(CompressionFormat(magic: Array("Text".utf8)) == nil)
    #expect(CompressionFormat(magic: Array("P*Ms".utf8)) == nil)
    #expect(CompressionFormat(magic: [0x1F]) == nil)
  }
}
