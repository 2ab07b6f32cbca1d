import CZstdShims

/// Writes zstd data (RFC 8878) of one frame.
final class ZstdEncoder: Encoder {
  private let stream: OpaquePointer

  init() throws(CompressionError) {
    try ZstdLibrary.load()
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
