import Compression

/// Data in pieces of `size` bytes.
func pieces(_ bytes: [UInt8], of size: Int) -> [[UInt8]] {
  stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
}

func compressed(_ bytes: [UInt8], _ format: CompressionFormat, pieceSize: Int = 1 << 16) throws -> [UInt8] {
  let compressor = try Compressor(format)
  var output: [UInt8] = []
  for piece in pieces(bytes, of: pieceSize) {
    try piece.withUnsafeBytes { try compressor.add($0, to: &output) }
  }
  try compressor.finish(to: &output)
  return output
}

/// Decompresses data that is given in pieces, through an output buffer of `roomSize` bytes.
func decompressed(
  _ bytes: [UInt8], _ format: CompressionFormat, pieceSize: Int = 1 << 16, roomSize: Int = 1 << 16
) throws -> [UInt8] {
  let decompressor = try Decompressor(format)
  var room = [UInt8](repeating: 0, count: roomSize)
  var output: [UInt8] = []
  for piece in pieces(bytes, of: pieceSize) + [[]] {
    var taken = 0
    while true {
      let step = try piece[taken...].withUnsafeBytes { input in
        try room.withUnsafeMutableBytes { try decompressor.decompress(input, into: $0) }
      }
      taken += step.taken
      output += room[..<step.written]
      if taken == piece.count, step.written == 0 { break }
    }
  }
  try decompressor.finish()
  return output
}
