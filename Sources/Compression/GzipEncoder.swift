import CZlibShims

/// Writes gzip data (RFC 1952) of one member, without a name or a time, so that the same data gives the same bytes.
final class GzipEncoder: Encoder {
  /// zlib keeps the stream's address.
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws(CompressionError) {
    try GzipLibrary.load()
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard czlib_deflate_start(stream) == Z_OK else {
      stream.deallocate()
      throw .notWritten(.gzip, "zlib does not start")
    }
  }

  deinit {
    czlib_deflate_end(stream)
    stream.deallocate()
  }

  func encode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, finish: Bool
  ) throws(CompressionError) -> (taken: Int, written: Int, isDone: Bool) {
    // zlib does not write to its input; only its type says so.
    let bytes = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes)
    stream.pointee.avail_in = UInt32(clamping: input.count)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(clamping: output.count)
    let (given, room) = (stream.pointee.avail_in, stream.pointee.avail_out)
    let result = czlib_deflate(stream, finish ? 1 : 0)
    guard result == Z_OK || result == Z_STREAM_END else { throw .notWritten(.gzip, "zlib's error \(result)") }
    return (Int(given - stream.pointee.avail_in), Int(room - stream.pointee.avail_out), result == Z_STREAM_END)
  }
}
