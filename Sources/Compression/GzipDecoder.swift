import CZlibShims
import Core

/// Reads gzip data (RFC 1952), one member after the other.
final class GzipDecoder: Decoder {
  private enum Place {
    /// Nothing has been read.
    case start
    case inMember
    /// Behind a complete member.
    case behindMember
  }

  /// zlib keeps the stream's address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var place = Place.start
  private var hasReadMember = false

  init() throws(CompressionError) {
    try GzipLibrary.load()
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard czlib_inflate_start(stream) == Z_OK else {
      stream.deallocate()
      throw .damaged(.gzip, "zlib does not start")
    }
  }

  deinit {
    czlib_inflate_end(stream)
    stream.deallocate()
  }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> (taken: Int, written: Int) {
    var taken = 0
    if place == .behindMember {
      // Tapes pad with zeros behind the last member.
      while taken < input.count, input[taken] == 0 { taken += 1 }
      guard taken < input.count else { return (taken, 0) }
      czlib_inflate_again(stream)
      place = .inMember
    }
    if place == .start, !input.isEmpty { place = .inMember }
    let rest = UnsafeRawBufferPointer(rebasing: input[taken...])
    let written = try inflate(rest, into: output)
    return (taken + rest.count - Int(stream.pointee.avail_in), written)
  }

  private func inflate(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> Int {
    // zlib does not write to its input; only its type says so.
    let bytes = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes)
    stream.pointee.avail_in = UInt32(clamping: input.count)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(clamping: output.count)
    let unseen = input.count - Int(stream.pointee.avail_in)
    let room = Int(stream.pointee.avail_out)
    let result = czlib_inflate(stream)
    stream.pointee.avail_in += UInt32(unseen)
    switch result {
    // Z_BUF_ERROR: nothing could be done without more input or more room.
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END:
      place = .behindMember
      hasReadMember = true
    default: throw failure()
    }
    return room - Int(stream.pointee.avail_out)
  }

  func finish() throws(CompressionError) {
    if place == .inMember { throw .truncated(.gzip) }
  }

  private func failure() -> CompressionError {
    let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib cannot read it"
    guard reason == "incorrect header check" else { return .damaged(.gzip, reason) }
    return hasReadMember ? .damaged(.gzip, "something else follows it") : .notCompressed(.gzip)
  }
}

/// zlib itself, loaded on first use.
enum GzipLibrary {
  private static let library = LazyLibrary("zlib", package: "zlib1g", czlib_load)

  static func load() throws(CompressionError) {
    try library.demand { CompressionError(.libraryMissing, $0, hint: $1) }
  }
}
