/// Decompresses data piece by piece, gzip of several members and zstd of several frames to their end. Memory is bounded
/// by the format's window: 32 KiB for gzip, and up to 128 MiB for zstd, as the data asks (8 MiB at its usual levels).
package final class Decompressor {
  private let decoder: any Decoder

  /// Throws when the format's library cannot be loaded.
  package init(_ format: CompressionFormat) throws(CompressionError) {
    switch format {
    case .gzip: decoder = try GzipDecoder()
    case .zstd: decoder = try ZstdDecoder()
    }
  }

  /// Takes bytes of `input` and writes what they decompress to, as much as fits into `output`; says how many bytes it
  /// took and wrote. While it writes something, more may come without further input.
  package func decompress(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> (taken: Int, written: Int) { try decoder.decode(input, into: output) }

  /// Makes sure that the data was complete. To be called when there is no more input and nothing more is written.
  package func finish() throws(CompressionError) { try decoder.finish() }

  /// Decompresses all of the data at once. Throws for data that decompresses to more than `limit` bytes.
  package static func decompress(
    _ data: [UInt8], _ format: CompressionFormat, limit: Int
  ) throws(CompressionError) -> [UInt8] {
    let decompressor = try Decompressor(format)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { room.deallocate() }
    var output: [UInt8] = []
    var position = 0
    while true {
      let step = try data.withUnsafeBufferPointer { data throws(CompressionError) in
        try decompressor.decompress(
          UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: data[position...])), into: room)
      }
      position += step.taken
      output.append(contentsOf: room[..<step.written])
      guard output.count <= limit else { throw .damaged(format, "it has more than \(limit) bytes") }
      if step.written == 0, position == data.count { break }
    }
    try decompressor.finish()
    return output
  }
}

protocol Decoder: AnyObject {
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> (taken: Int, written: Int)

  func finish() throws(CompressionError)
}
