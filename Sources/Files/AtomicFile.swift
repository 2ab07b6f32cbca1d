import Core
import Glibc

/// A file that is written beside the file it replaces: readers see the old file or the complete new one. A terminal, a
/// pipe or a device is written directly.
package final class AtomicFile {
  private static let bufferSize = 64 << 10
  private static let mostKept = 10_000

  private let path: String
  /// Nil for standard output, and for a place that is no file.
  private let entry: FolderEntry?
  /// The ending of the new file's name until `commit`; nil for a place that is written directly.
  private var ending: String?
  private var descriptor: CInt
  private var buffer: [UInt8] = []

  /// Begins to write the file. Readers see it after `commit`; without `commit`, nothing is left behind.
  package init(_ place: OutputPlace) throws(FileError) {
    path = place.path
    if place.way == .following, let kind = FileSystem.kind(of: place.path), kind != S_IFREG {
      entry = nil
      descriptor = place.path.withPath { open($0, O_WRONLY | O_CLOEXEC | O_NOCTTY) }
    } else {
      let entry: FolderEntry
      do { entry = try place.entry() } catch { throw FileError.unwritable(path, error.reason) }
      self.entry = entry
      let mode = entry.mode
      try Self.check(mode, place)
      if let mode, mode & S_IFMT != S_IFREG, mode & S_IFMT != S_IFLNK {
        // Opening a pipe without a reader would block.
        descriptor = entry.open(O_WRONLY | O_NONBLOCK)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, O_WRONLY) }
      } else {
        let ending = ".\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).part"
        descriptor = entry.makeSibling(ending, entry.isFile ? (mode ?? 0) & 0o777 : 0o666)
        if descriptor >= 0 { self.ending = ending }
      }
    }
    guard descriptor >= 0 else { throw FileError.unwritable(path, String(cString: strerror(errno))) }
  }

  /// Writes to standard output.
  package init(standardOutput: ()) throws(FileError) {
    path = "standard output"
    entry = nil
    descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw FileError.unwritable(path, String(cString: strerror(errno))) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if let ending { entry?.removeSibling(ending) }
  }

  package func write(_ bytes: some Sequence<UInt8>) throws(FileError) {
    buffer += bytes
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Keeps the existing file under the first free name `PATH.N`. Returns the name; nil if there was no file.
  package func keepPrevious() -> String? {
    guard let entry, ending != nil, entry.isFile else { return nil }
    for number in 1...Self.mostKept {
      // Unlike a rename, a link does not replace an existing file.
      if entry.link(asSibling: ".\(number)") { return "\(path).\(number)" }
      if errno != EEXIST { return nil }
    }
    return nil
  }

  /// Puts the file in place. After a power loss, the complete new file or the old one is there.
  package func commit() throws(FileError) {
    try flush(isLast: true)
    guard let ending, let entry else { return }
    guard fsync(descriptor) == 0, entry.replace(bySibling: ending) else {
      throw FileError.unwritable(path, String(cString: strerror(errno)))
    }
    self.ending = nil
  }

  private func flush(isLast: Bool = false) throws(FileError) {
    // A terminal gets whole lines, without the control sequences of others.
    let end = isLast || !isTerminal ? buffer.count : (buffer.lastIndex(of: UInt8(ascii: "\n")) ?? buffer.count - 1) + 1
    let bytes = Array(buffer[..<end])
    let shown = isTerminal ? Array(ScreenText.shown(String(decoding: bytes, as: UTF8.self)).utf8) : bytes
    do { try OpenFile.write(shown, to: descriptor) } catch { throw FileError.unwritable(path, error.reason) }
    buffer.removeSubrange(..<end)
  }

  private var isTerminal: Bool { entry == nil && isatty(descriptor) == 1 }

  /// Refuses a link at an exact place, and anything but a file if only a file may be replaced.
  private static func check(_ mode: mode_t?, _ place: OutputPlace) throws(FileError) {
    guard let mode, place.way != .following else { return }
    let isLink = mode & S_IFMT == S_IFLNK
    guard isLink || place.isFile && mode & S_IFMT != S_IFREG else { return }
    let reason = isLink ? "it is a link" : "it is not a file"
    throw FileError.unwritable(place.path, reason, hint: "remove it, or name another file")
  }
}
