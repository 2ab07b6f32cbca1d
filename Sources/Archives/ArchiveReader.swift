import CArchiveShims
import Core
package import Files

/// An entry of a zip archive.
package struct ArchiveEntry: Sendable, Equatable {
  /// Its path in the archive, with "/" between folders.
  package let name: String
  /// Its size in bytes when it is unpacked; nil if the archive does not say it.
  package let size: Int?
  package let isEncrypted: Bool
}

/// Reads a zip archive, or a file packed with bzip2 or xz, entry by entry. It reads the file by offset, so that several
/// readers can share it. Nothing is written to the disk.
package final class ArchiveReader {
  package enum Format: Sendable { case zip, packed }

  /// More entries than any export of tasks has.
  package static let mostEntries = 10_000
  /// An entry may have this many bytes for each byte of the archive, once it has more than `freeSize` bytes. The most that
  /// deflate can pack, 1,032, is reached by no list of tasks.
  static let mostRatio = 400
  static let freeSize = 64 << 20

  /// So many bytes may come of an entry of an archive of that size.
  package static func mostBytes(of packedSize: Int) -> Int { max(freeSize, packedSize * mostRatio) }

  private let file: OpenFile
  private let handle: OpaquePointer
  private let packedSize: Int
  private var entries = 0
  /// The bytes that were read of the present entry.
  private var unpacked = 0

  /// - Parameter range: the bytes of the file that are the archive.
  package init(_ file: OpenFile, _ range: Range<Int>, _ format: Format) throws(ArchiveError) {
    try Self.library.demand { ArchiveError(.libraryMissing, $0, hint: $1) }
    self.file = file
    packedSize = range.count
    let opened = carchive_open(file.descriptor, Int64(range.lowerBound), Int64(range.count), format == .packed)
    guard let opened else { throw ArchiveError(.damaged, "there is no memory to read the archive") }
    handle = opened
    try check()
  }

  deinit { carchive_close(handle) }

  private static let library = LazyLibrary("libarchive", package: "libarchive13", carchive_load)

  /// Moves to the next file in the archive; nil at the end. Folders and links are passed over.
  package func next() throws(ArchiveError) -> ArchiveEntry? {
    while true {
      switch carchive_next(handle) {
      case 0: return nil
      case 1: break
      default: throw failure()
      }
      entries += 1
      unpacked = 0
      guard entries <= Self.mostEntries else {
        throw ArchiveError(.tooLarge, "the archive has more than \(Self.mostEntries) entries")
      }
      guard carchive_is_file(handle) else { continue }
      let size = carchive_size(handle)
      return ArchiveEntry(
        name: carchive_name(handle).map { String(cString: $0) } ?? "", size: size < 0 ? nil : Int(size),
        isEncrypted: carchive_is_encrypted(handle))
    }
  }

  /// The bytes of the archive that were read so far.
  package var position: Int { Int(carchive_position(handle)) }

  /// Moves to the entry `name`, which is behind the present one. Throws if there is none, or if it is encrypted.
  package func find(_ name: String) throws(ArchiveError) {
    while let entry = try next() {
      guard entry.name == name else { continue }
      guard !entry.isEncrypted else { throw .encrypted(name) }
      return
    }
    throw ArchiveError(.missingEntry, "the archive has no entry \"\(name)\"")
  }

  /// Reads the next bytes of the present entry; 0 at its end.
  package func read(into target: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    guard let address = target.baseAddress, !target.isEmpty else { return 0 }
    let count = carchive_read(handle, address, target.count)
    guard count >= 0 else { throw failure() }
    unpacked += count
    guard unpacked <= Self.mostBytes(of: packedSize) else {
      throw ArchiveError(
        .tooLarge, "the archive grows to more than \(Self.mostRatio) times its size, as a zip bomb does",
        hint: "if you trust it, unpack it and import the file")
    }
    return count
  }

  /// Reads the rest of the present entry. Throws for more than `limit` bytes.
  package func contents(limit: Int) throws(ArchiveError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = try piece.withUnsafeMutableBufferPointer { target throws(ArchiveError) in
        try read(into: UnsafeMutableRawBufferPointer(target))
      }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else {
        throw ArchiveError(.tooLarge, "an entry of the archive has more than \(limit) bytes")
      }
      bytes += piece[..<count]
    }
  }

  private func check() throws(ArchiveError) { if carchive_error(handle) != nil { throw failure() } }

  private func failure() -> ArchiveError {
    let reason = carchive_error(handle).map { String(cString: $0) } ?? "libarchive cannot read it"
    if reason.mentions("passphrase") || reason.mentions("encrypt") {
      return ArchiveError(.encrypted, "the archive is encrypted", hint: "unpack it with its password")
    }
    return ArchiveError(
      .damaged, "the archive is damaged: \(reason)",
      hint: "the file may not have been copied or downloaded to its end: get it again")
  }
}

extension ArchiveError {
  static func encrypted(_ name: String) -> ArchiveError {
    ArchiveError(.encrypted, "the entry \"\(name)\" is encrypted", hint: "unpack the archive with its password")
  }
}

extension String {
  /// True if the text has `word`, in any letter case.
  fileprivate func mentions(_ word: String) -> Bool { lowercased().contains(word) }
}
