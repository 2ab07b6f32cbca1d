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
    guard let format = Self.allCases.first(where: { bytes.starts(with: $0.magic) }) else { return nil }
    self = format
  }

  /// The endings of file names, with the dot.
  package var pathExtension: String { self == .gzip ? ".gz" : ".zst" }

  private var magic: [UInt8] { self == .gzip ? [0x1F, 0x8B] : [0x28, 0xB5, 0x2F, 0xFD] }
}
