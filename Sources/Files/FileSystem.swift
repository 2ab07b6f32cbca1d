import Core
package import Glibc

/// Files and folders that a person or the host names. The system takes a path unchanged: `~` is a name, and `..` is the
/// folder above a link's target. Paths that a script names are opened by `Permissions.open` instead.
package enum FileSystem {
  /// The contents of a file, a pipe or a device, unless `opening` refuses it. Throws EFBIG for more than `limit` bytes.
  package static func contents(
    of path: String, _ opening: Opening = .streaming, limit: Int = .max
  ) throws(FileFailure) -> [UInt8] { try OpenFile(path, opening).contents(limit: limit) }

  /// The names in a folder, in no order.
  package static func names(in folder: String) throws(FileFailure) -> [String] {
    guard let stream = folder.withPath({ opendir($0) }) else { throw FileFailure(number: errno) }
    defer { closedir(stream) }
    return names(stream).map(\.name)
  }

  /// The names that readdir(3) gives, without the folder itself and the one above it.
  static func names(_ stream: OpaquePointer) -> [(name: String, type: Int)] {
    var names: [(name: String, type: Int)] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(pathBytes: $0.prefix { $0 != 0 }) }
      if name != ".", name != ".." { names.append((name, Int(entry.pointee.d_type))) }
    }
    return names
  }

  /// The kind of a file, such as `S_IFDIR`; nil if there is nothing. `followsLink` is false for a link itself.
  package static func kind(of path: String, followsLink: Bool = true) -> mode_t? {
    status(of: path, followsLink: followsLink).map { $0.st_mode & S_IFMT }
  }

  /// The system's facts about a file; nil if there is nothing. `followsLink` is false for a link itself.
  package static func status(of path: String, followsLink: Bool = true) -> stat? {
    var status = stat()
    return path.withPath { followsLink ? stat($0, &status) : lstat($0, &status) } == 0 ? status : nil
  }

  /// True if both paths lead to the same file.
  package static func areOne(_ one: String, _ other: String, followsLink: Bool = true) -> Bool {
    guard let one = status(of: one, followsLink: followsLink), let other = status(of: other, followsLink: followsLink)
    else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  package static func exists(_ path: String, followsLink: Bool = true) -> Bool {
    status(of: path, followsLink: followsLink) != nil
  }

  /// False for a pipe, a socket or a device: opening or reading one that a folder holds may never end.
  package static func isReadable(_ path: String) -> Bool {
    guard let kind = kind(of: path) else { return true }
    return kind == S_IFREG || kind == S_IFDIR
  }

  package static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  /// The absolute path with every link followed; nil if there is nothing.
  package static func realPath(_ path: String) -> String? {
    guard let real = path.withPath({ realpath($0, nil) }) else { return nil }
    defer { free(real) }
    return String(path: real)
  }

  /// The target of a link as it is written there; nil for anything but a link.
  package static func target(ofLink path: String) -> [UInt8]? { ResolvedPath.link(at: path.pathBytes) }

  /// Makes a folder and missing ones above it; an existing one stays as it is. `onMade` gets the path of each new one.
  package static func makeFolder(
    _ path: String, mode: mode_t = 0o777, onMade: (String) -> Void = { _ in }
  ) throws(FileFailure) {
    guard !isFolder(path) else { return }
    let names = path.utf8
    for index in names.indices where names[index] == UInt8(ascii: "/") && index != names.startIndex {
      let folder = String(path[..<index])
      if folder.withPath({ mkdir($0, mode) }) == 0 { onMade(folder) }
    }
    if path.withPath({ mkdir($0, mode) }) == 0 { return onMade(path) }
    guard errno == EEXIST else { throw FileFailure(number: errno) }
    guard isFolder(path) else { throw FileFailure(number: ENOTDIR) }
  }

  // The system's calls of the same names: -1 and errno on failure.

  package static func access(_ path: String, _ mode: CInt) -> CInt { path.withPath { Glibc.access($0, mode) } }

  @discardableResult
  package static func unlink(_ path: String) -> CInt { path.withPath { Glibc.unlink($0) } }

  @discardableResult
  package static func rename(_ path: String, _ target: String) -> CInt {
    path.withPath { path in target.withPath { Glibc.rename(path, $0) } }
  }

  package static func link(_ path: String, _ target: String) -> CInt {
    path.withPath { path in target.withPath { Glibc.link(path, $0) } }
  }
}
