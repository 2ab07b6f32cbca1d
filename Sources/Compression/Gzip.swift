import CZlibShims
import Core

/// Writes gzip data (RFC 1952) of one member, without a name or a time, so that the same data gives the same bytes.
final class GzipEncoder: Encoder {
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws(CompressionError) {
    stream = try makeStream(.notWritten(.gzip, "zlib does not start"), czlib_deflate_start)
  }

  deinit {
    czlib_deflate_end(stream)
    stream.deallocate()
  }

  func encode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, finish: Bool
  ) throws(CompressionError) -> (taken: Int, written: Int, isDone: Bool) {
    stream.pointee.give(input, output)
    let (given, room) = (stream.pointee.avail_in, stream.pointee.avail_out)
    let result = czlib_deflate(stream, finish ? 1 : 0)
    guard result == Z_OK || result == Z_STREAM_END else { throw .notWritten(.gzip, "zlib's error \(result)") }
    return (Int(given - stream.pointee.avail_in), Int(room - stream.pointee.avail_out), result == Z_STREAM_END)
  }
}

/// Reads gzip data (RFC 1952), one member after the other.
final class GzipDecoder: Decoder {
  private enum Place {
    case start
    case inMember
    case behindMember
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private var place = Place.start
  private var hasReadMember = false

  init() throws(CompressionError) {
    stream = try makeStream(.damaged(.gzip, "zlib does not start"), czlib_inflate_start)
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
    stream.pointee.give(input, output)
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

private let library = LazyLibrary("zlib", package: "zlib1g", czlib_load)

/// A started stream of zlib, which is loaded on first use. It has an address of its own, because zlib keeps the address.
private func makeStream(
  _ failure: CompressionError, _ start: (UnsafeMutablePointer<z_stream>) -> CInt
) throws(CompressionError) -> UnsafeMutablePointer<z_stream> {
  try library.demand { CompressionError(.libraryMissing, $0, hint: $1) }
  let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  stream.initialize(to: z_stream())
  guard start(stream) == Z_OK else {
    stream.deallocate()
    throw failure
  }
  return stream
}

extension z_stream {
  fileprivate mutating func give(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) {
    // zlib does not write to its input; only its type says so.
    next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    avail_in = UInt32(clamping: input.count)
    next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    avail_out = UInt32(clamping: output.count)
  }
}
