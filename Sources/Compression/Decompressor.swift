/// Decompresses data piece by piece. Memory is bounded by the format's window: 32 KiB for gzip, and what the data asks
/// for, 128 MiB at most, for zstd (8 MiB at its usual levels).
///
/// Reads gzip of several members and zstd of several frames to their end.
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
}

/// One format's part of `Decompressor`.
protocol Decoder: AnyObject {
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> (taken: Int, written: Int)

  func finish() throws(CompressionError)
}
