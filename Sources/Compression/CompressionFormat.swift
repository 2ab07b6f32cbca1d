/// How data is compressed.
package enum CompressionFormat: String, Sendable, CaseIterable {
  /// RFC 1952, by zlib.
  case gzip
  /// RFC 8878, by libzstd.
  case zstd

  /// By a path's extension, `.gz` or `.zst` in any letter case; nil when it has neither.
  package init?(path: String) {
    let path = path.lowercased()
    guard let format = Self.allCases.first(where: { path.hasSuffix($0.pathExtension) }) else { return nil }
    self = format
  }

  /// By how data begins; four bytes are enough. No text in UTF-8 begins like either.
  package init?(magic bytes: some Collection<UInt8>) {
    if let format = Self.allCases.first(where: { bytes.starts(with: $0.magic) }) {
      self = format
    } else if let first = bytes.first, (0x50...0x5F).contains(first),
      bytes.dropFirst().starts(with: [0x2A, 0x4D, 0x18])
    {
      // A skippable frame (RFC 8878, 3.1.2), as pzstd and tools for seekable archives write it.
      self = .zstd
    } else {
      return nil
    }
  }

  /// The endings of file names, with the dot.
  package var pathExtension: String { self == .gzip ? ".gz" : ".zst" }

  private var magic: [UInt8] { self == .gzip ? [0x1F, 0x8B] : [0x28, 0xB5, 0x2F, 0xFD] }
}
