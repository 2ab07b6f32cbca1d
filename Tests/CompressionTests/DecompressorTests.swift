import Compression
import Core
import Testing

@Suite struct DecompressorTests {
  /// "Buy milk" and a line feed, as the gzip and zstd programs compress them.
  static let samples: [(CompressionFormat, [UInt8])] = [
    (
      .gzip,
      [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 115, 42, 173, 84, 200, 205, 204, 201, 230, 2, 0, 86, 82, 28, 140, 9, 0, 0, 0,
      ]
    ),
    (.zstd, [40, 181, 47, 253, 4, 88, 73, 0, 0, 66, 117, 121, 32, 109, 105, 108, 107, 10, 85, 30, 213, 54]),
  ]

  @Test(arguments: samples) func readsWhatOthersWrote(format: CompressionFormat, sample: [UInt8]) throws {
    #expect(try decompressed(sample, format) == Array("Buy milk\n".utf8))
    #expect(try decompressed(sample, format, pieceSize: 1, roomSize: 1) == Array("Buy milk\n".utf8))
  }

  /// The input is like the output of `cat a.gz b.gz`.
  @Test(arguments: samples) func readsOnBehindTheFirst(format: CompressionFormat, sample: [UInt8]) throws {
    for size in [1, 7, 1000] {
      #expect(
        try decompressed(sample + sample + sample, format, pieceSize: size)
          == Array("Buy milk\nBuy milk\nBuy milk\n".utf8))
    }
  }

  @Test func passesOverTheZerosOfTapes() throws {
    let sample = Self.samples[0].1
    #expect(try decompressed(sample + [0, 0, 0], .gzip) == Array("Buy milk\n".utf8))
  }

  @Test(arguments: samples) func nothingIsNothing(format: CompressionFormat, _: [UInt8]) throws {
    #expect(try decompressed([], format) == [])
  }

  @Test(arguments: samples) func truncated(format: CompressionFormat, sample: [UInt8]) throws {
    for count in 1..<sample.count {
      let error = #expect(throws: CompressionError.self) {
        try decompressed(Array(sample[..<count]), format, pieceSize: 5)
      }
      #expect(error?.code == "truncated_compression")
      #expect(
        error?.description == "the \(format.rawValue) data ends in the middle "
          + "(the file was not copied or downloaded to its end: get it again)")
    }
  }

  @Test(
    arguments: [
      (.gzip, 22, "the gzip data is damaged: incorrect data check (get it again, or compress it again)"),
      (.gzip, 27, "the gzip data is damaged: incorrect length check (get it again, or compress it again)"),
      (
        .zstd, 20, "the zstd data is damaged: Restored data doesn't match checksum (get it again, or compress it again)"
      ),
    ] as [(CompressionFormat, Int, String)])
  func damaged(format: CompressionFormat, position: Int, says: String) throws {
    var sample = try #require(Self.samples.first { $0.0 == format }).1
    sample[position] ^= 0x10
    let error = #expect(throws: CompressionError.self) { try decompressed(sample, format) }
    #expect(error?.code == "damaged_compression")
    #expect(error?.description == says)
  }

  @Test(arguments: samples) func somethingElse(format: CompressionFormat, sample: [UInt8]) throws {
    let error = #expect(throws: CompressionError.self) { try decompressed(Array("Text,Due\n".utf8), format) }
    #expect(error?.code == "not_compressed")
    #expect(
      error?.description == "this is not \(format.rawValue) data "
        + "(when it is not compressed, take \(format.pathExtension) off its name)")
    let behind = #expect(throws: CompressionError.self) { try decompressed(sample + Array("Text".utf8), format) }
    #expect(behind?.message == "the \(format.rawValue) data is damaged: something else follows it")
  }
}
