package import Glibc

/// Files and folders that a person or the host names. The system takes a path as it is: `~` is a name, and `..` is what is
/// above where a link leads.
///
/// A path that a script names goes through the door instead: `Permissions.open`.
package enum FileSystem {
  /// What is in a file; a pipe or a device is read to its end, too, unless `opening` says otherwise.
  /// - Throws: EFBIG for more than `limit` bytes.
  package static func contents(
    of path: String, _ opening: Opening = .streaming, limit: Int = .max
  ) throws(FileFailure) -> [UInt8] {
    try OpenFile(path, opening).contents(limit: limit)
  }

  /// The names in a folder, in no order.
  package static func names(in folder: String) throws(FileFailure) -> [String] {
    guard let stream = opendir(folder) else { throw FileFailure(number: errno) }
    defer { closedir(stream) }
    return FolderStream.names(stream).map(\.name)
  }

  /// The kind of what is there, such as `S_IFDIR`; nil for nothing.
  /// - Parameter followsLink: false for the kind of a link itself.
  package static func kind(of path: String, followsLink: Bool = true) -> mode_t? {
    var status = stat()
    guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }

  package static func exists(_ path: String) -> Bool { kind(of: path) != nil }

  package static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  /// The absolute path with every link followed; nil where there is nothing.
  package static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// Where a link leads, as it stands there; nil for what is no link.
  package static func target(ofLink path: String) -> [UInt8]? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    return count > 0 ? Array(target[..<count]) : nil
  }

  /// Makes a folder and those above it that are missing. One that is there stays as it is.
  package static func makeFolder(_ path: String, mode: mode_t = 0o777) throws(FileFailure) {
    for (index, character) in zip(path.indices, path) where character == "/" && index != path.startIndex {
      mkdir(String(path[..<index]), mode)
    }
    guard mkdir(path, mode) == 0 || errno == EEXIST else { throw FileFailure(number: errno) }
    guard isFolder(path) else { throw FileFailure(number: ENOTDIR) }
  }
}
