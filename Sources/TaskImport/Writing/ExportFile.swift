import Compression
package import Files
package import HostLoop

/// A file of tasks that is being written. It appears, or takes the place of the one that was there, with `finish`; without
/// that, nothing is left of it.
@HostActor
package final class ExportFile {
  /// Written so far, as they lie on disk.
  package private(set) var bytes = 0
  private let compressor: Compressor?
  private let file: AtomicFile
  private var packed: [UInt8] = []

  /// - Parameter place: compressed when it ends with `.gz` or `.zst`; `-` is standard output, where what was written cannot
  ///   be taken back.
  /// - Throws: `ImportError` for a file that cannot be written.
  package init(_ place: OutputPlace) throws {
    compressor = try CompressionFormat(path: place.path).map { (format) throws(CompressionError) in
      try Compressor(format)
    }
    file = place.path == "-" ? try AtomicFile(standardOutput: ()) : try AtomicFile(place)
  }

  /// Writes a piece of the text.
  package func write(_ text: [UInt8]) throws {
    guard let compressor else {
      bytes += text.count
      return try file.write(text)
    }
    try text.withUnsafeBytes { try compressor.add($0, to: &packed) }
    try writePacked()
  }

  /// Puts the file in its place.
  package func finish() throws {
    try compressor?.finish(to: &packed)
    try writePacked()
    try file.commit()
  }

  private func writePacked() throws {
    bytes += packed.count
    try file.write(packed)
    packed.removeAll(keepingCapacity: true)
  }
}
