/// Compresses data piece by piece, with a checksum. Memory is bounded by the library's window, a few MiB.
package final class Compressor {
  private let encoder: any Encoder
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  /// Throws when the format's library cannot be loaded.
  package init(_ format: CompressionFormat) throws(CompressionError) {
    switch format {
    case .gzip: encoder = try GzipEncoder()
    case .zstd: encoder = try ZstdEncoder()
    }
  }

  deinit { room.deallocate() }

  /// Compresses further bytes, and appends what comes of them so far, which may be nothing, to `output`.
  package func add(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(CompressionError) {
    var rest = bytes
    while !rest.isEmpty {
      let step = try encoder.encode(rest, into: room, finish: false)
      rest = UnsafeRawBufferPointer(rebasing: rest[step.taken...])
      output.append(contentsOf: room[..<step.written])
    }
  }

  /// Appends the rest. Nothing can be added afterwards.
  package func finish(to output: inout [UInt8]) throws(CompressionError) {
    var isDone = false
    while !isDone {
      let step = try encoder.encode(UnsafeRawBufferPointer(start: nil, count: 0), into: room, finish: true)
      output.append(contentsOf: room[..<step.written])
      isDone = step.isDone
    }
  }

  /// Compresses all of the bytes at once.
  package static func compress(_ bytes: [UInt8], _ format: CompressionFormat) throws(CompressionError) -> [UInt8] {
    let compressor = try Compressor(format)
    var output: [UInt8] = []
    try bytes.withUnsafeBufferPointer { bytes throws(CompressionError) in
      try compressor.add(UnsafeRawBufferPointer(bytes), to: &output)
    }
    try compressor.finish(to: &output)
    return output
  }
}

protocol Encoder: AnyObject {
  /// `isDone`: with `finish`, whether all has been written. With room, it takes or writes something each time.
  func encode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, finish: Bool
  ) throws(CompressionError) -> (taken: Int, written: Int, isDone: Bool)
}
