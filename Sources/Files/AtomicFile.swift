import Glibc

/// A file that is written beside the one it replaces, so that whoever looks finds the old one or the whole new one.
///
/// What is no file, such as a terminal or a pipe, is written as it is.
package final class AtomicFile {
  private static let bufferSize = 64 << 10
  private static let mostKept = 10_000

  private let path: String
  /// Nil for standard output, and where links lead to no file.
  private let entry: FolderEntry?
  /// How its name goes on until `commit`; nil for what is written as it is.
  private var ending: String?
  private var descriptor: CInt
  private var buffer: [UInt8] = []

  /// Begins to write the file. Nothing of it is seen before `commit`; without that, nothing is left behind.
  package init(_ place: OutputPlace) throws(FileError) {
    path = place.path
    var status = stat()
    if place.way == .following, stat(place.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      entry = nil
      descriptor = open(place.path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    } else {
      let entry = try Self.entry(place)
      self.entry = entry
      let mode = entry.mode
      try Self.check(mode, place)
      if let mode, mode & S_IFMT != S_IFREG, mode & S_IFMT != S_IFLNK {
        // A pipe that nobody reads would be waited for.
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

  /// Writes to standard output, as far as it got when something fails.
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

  /// Gives the file that was there before the first name `PATH.N` that is free.
  /// - Returns: the name; nil where there was no file.
  package func keepPrevious() -> String? {
    guard let entry, ending != nil, entry.isFile else { return nil }
    for number in 1...Self.mostKept {
      // Unlike a rename, a link does not replace what is there.
      if entry.link(asSibling: ".\(number)") { return "\(path).\(number)" }
      if errno != EEXIST { return nil }
    }
    return nil
  }

  /// Puts it in place. Where the machine loses power then, the file is there or the one from before is.
  package func commit() throws(FileError) {
    try flush()
    guard let ending, let entry else { return }
    guard fsync(descriptor) == 0, entry.replace(bySibling: ending) else {
      throw FileError.unwritable(path, String(cString: strerror(errno)))
    }
    self.ending = nil
  }

  private func flush() throws(FileError) {
    var rest = buffer[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        throw FileError.unwritable(path, String(cString: strerror(errno)))
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func entry(_ place: OutputPlace) throws(FileError) -> FolderEntry {
    do {
      return switch place.way {
      // Through a symbolic link, so that the link stays.
      case .following: try FolderEntry(given: Array(resolved(place.path).utf8))
      case .exact(let path): try FolderEntry(exact: path)
      }
    } catch {
      throw FileError.unwritable(place.path, error.reason)
    }
  }

  /// Refuses a link where it is not to be followed, and what is no file where that is not to be written to.
  private static func check(_ mode: mode_t?, _ place: OutputPlace) throws(FileError) {
    guard let mode, place.way != .following else { return }
    let reason: String? =
      switch mode & S_IFMT {
      case S_IFLNK: "it is a link"
      case S_IFREG: nil
      default: place.isFile ? "it is no file" : nil
      }
    guard let reason else { return }
    throw FileError.unwritable(place.path, reason, hint: "remove it, or name another file")
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
