import CLinuxShims
package import Glibc

/// A name in a folder that is held open. Moving the folder or putting a link in its way no longer changes the place.
package final class FolderEntry: Sendable {
  private let folder: CInt
  /// The name with a NUL at its end.
  package let name: [CChar]

  /// - Parameter path: absolute; no link on the way is followed.
  package convenience init(exact path: [UInt8]) throws(FileFailure) {
    var parts = path.split(separator: UInt8(ascii: "/")).map { Self.name(of: $0) }
    let name = parts.popLast() ?? Self.name(of: ".".utf8)
    var folder = cfile_open_folder(-1, "/", false)
    for part in parts {
      guard folder >= 0 else { break }
      let next = cfile_open_folder(folder, part, false)
      let error = errno
      close(folder)
      errno = error
      folder = next
    }
    try self.init(folder, name)
  }

  /// - Parameter path: links in it are followed, except a link at its end.
  package convenience init(given path: [UInt8]) throws(FileFailure) {
    _ = try Self.terminated(path)
    let slash = UInt8(ascii: "/")
    // A slash at the end stays with the name: the system then refuses anything but a folder.
    let end = path.lastIndex { $0 != slash } ?? path.startIndex
    let start = path[..<end].lastIndex(of: slash).map { $0 + 1 } ?? path.startIndex
    let folder = start == path.startIndex ? Array(".".utf8) : Array(path[..<start])
    try self.init(cfile_open_folder(-1, Self.name(of: folder), true), Self.name(of: path[start...]))
  }

  private init(_ folder: CInt, _ name: [CChar]) throws(FileFailure) {
    self.folder = try FileFailure.check(folder)
    self.name = name
  }

  deinit { close(folder) }

  /// The name in the folder.
  package var nameBytes: [UInt8] { name.dropLast().map { UInt8(bitPattern: $0) } }

  /// True if the folder is of a file system that the kernel makes up, such as proc, wherever it is mounted.
  package var isOfSystem: Bool { cfile_is_of_system(folder) }

  /// A second descriptor of the folder, which the caller closes.
  package func duplicateFolder() throws(FileFailure) -> CInt {
    try FileFailure.check(fcntl(folder, F_DUPFD_CLOEXEC, 0))
  }

  /// The kind and the permissions of the entry, of a link itself; nil if there is nothing.
  package var mode: mode_t? {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_mode : nil
  }

  /// True for a file, but not for a link to a file.
  package var isFile: Bool { mode.map { $0 & S_IFMT == S_IFREG } ?? false }

  /// Opens the entry unless it is a link. Returns -1 with `errno` on failure.
  func open(_ flags: CInt, _ mode: mode_t = 0) -> CInt {
    cfile_open_at(folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, mode)
  }

  /// Makes a file beside the entry. Its name is the entry's name and `ending`. Returns -1 with `errno` on failure.
  func makeSibling(_ ending: String, _ mode: mode_t) -> CInt {
    openat(folder, sibling(ending), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
  }

  func removeSibling(_ ending: String) { unlinkat(folder, sibling(ending), 0) }

  /// Replaces the entry, also a link, by that file. Returns false with `errno` on failure.
  func replace(bySibling ending: String) -> Bool { renameat(folder, sibling(ending), folder, name) == 0 }

  /// Gives the entry a second name, unless the name is taken. Returns false with `errno` on failure.
  func link(asSibling ending: String) -> Bool { linkat(folder, name, folder, sibling(ending), 0) == 0 }

  private func sibling(_ ending: String) -> [CChar] { name.dropLast() + Self.name(of: ending.utf8) }

  static func terminated(_ path: [UInt8]) throws(FileFailure) -> [CChar] {
    // The system would take the bytes before the NUL as the path.
    guard !path.contains(0) else { throw FileFailure(number: ENOENT) }
    return name(of: path)
  }

  private static func name(of bytes: some Sequence<UInt8>) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
}
