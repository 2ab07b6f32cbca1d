import Compression
package import Files
package import HostLoop

/// A file of tasks being written. With `finish` it appears or replaces the old file; without, it leaves nothing.
@HostActor
package final class ExportFile {
  /// The bytes written so far, as they are on disk.
  package private(set) var bytes = 0
  private let compressor: Compressor?
  private let file: AtomicFile
  private var packed: [UInt8] = []

  /// - Parameter place: compressed if it ends with `.gz` or `.zst`; `-` is standard output, which cannot be taken back.
  package init(_ place: OutputPlace) throws {
    compressor = try CompressionFormat(path: place.path).map { (format) throws(CompressionError) in
      try Compressor(format)
    }
    file = place.path == "-" ? try AtomicFile(standardOutput: ()) : try AtomicFile(place)
  }

  package func write(_ text: [UInt8]) throws {
    guard let compressor else {
      bytes += text.count
      return try file.write(text)
    }
    try text.withUnsafeBytes { try compressor.add($0, to: &packed) }
    try writePacked()
  }

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
