import CZstdShims
import Core

/// Writes zstd data (RFC 8878) of one frame.
final class ZstdEncoder: Encoder {
  private let stream: OpaquePointer

  init() throws(CompressionError) {
    try loadLibrary()
    guard let stream = czstd_compress_start() else { throw .notWritten(.zstd, "libzstd does not start") }
    self.stream = stream
  }

  deinit { czstd_compress_end(stream) }

  func encode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, finish: Bool
  ) throws(CompressionError) -> (taken: Int, written: Int, isDone: Bool) {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let left = czstd_compress(stream, &target, &source, finish)
    guard !czstd_is_error(left) else { throw .notWritten(.zstd, String(cString: czstd_error_name(left))) }
    return (source.pos, target.pos, left == 0)
  }
}

/// Reads zstd data (RFC 8878), one frame after the other.
final class ZstdDecoder: Decoder {
  private let stream: OpaquePointer
  private var isInFrame = false
  private var hasReadFrame = false

  init() throws(CompressionError) {
    try loadLibrary()
    guard let stream = czstd_decompress_start() else { throw .damaged(.zstd, "libzstd does not start") }
    self.stream = stream
  }

  deinit { czstd_decompress_end(stream) }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> (taken: Int, written: Int) {
    guard isInFrame || !input.isEmpty else { return (0, 0) }
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let result = czstd_decompress(stream, &target, &source)
    guard !czstd_is_error(result) else { throw failure(result) }
    // Zero: a frame has ended, and all of it has been written.
    isInFrame = result != 0
    if result == 0 { hasReadFrame = true }
    return (source.pos, target.pos)
  }

  func finish() throws(CompressionError) {
    if isInFrame { throw .truncated(.zstd) }
  }

  private func failure(_ result: Int) -> CompressionError {
    if czstd_is_window_too_large(result) {
      return CompressionError(
        .windowTooLarge, "the zstd data needs more than 128 MiB of memory",
        hint: "compress it again without --long")
    }
    guard czstd_is_unknown_prefix(result) else {
      return .damaged(.zstd, String(cString: czstd_error_name(result)))
    }
    return hasReadFrame ? .damaged(.zstd, "something else follows it") : .notCompressed(.zstd)
  }
}

private let library = LazyLibrary("libzstd", package: "libzstd1", czstd_load)

/// Loads libzstd on first use.
private func loadLibrary() throws(CompressionError) {
  try library.demand { CompressionError(.libraryMissing, $0, hint: $1) }
}
