import Core

/// The place of a file to write.
package struct OutputPlace: Sendable, Equatable {
  enum Way: Sendable, Equatable {
    /// Links are followed when the file is begun.
    case following
    /// Exactly this absolute path, which was checked before. A link there would be another file.
    case exact([UInt8])
  }

  /// The path as it was given, for messages.
  package let path: String
  let way: Way
  /// True if only a file may be replaced. Otherwise a pipe or a device is written to.
  let isFile: Bool

  /// - Parameter path: links in it are followed.
  package init(_ path: String) {
    self.path = path
    way = .following
    isFile = false
  }

  /// `path` is as it was given. `exact` is absolute, had no links when it was checked, and no link is followed. With
  /// `isFile`, anything but a file is refused.
  package init(_ path: String, exact: [UInt8], isFile: Bool = false) {
    self.path = path
    way = .exact(exact)
    self.isFile = isFile
  }

  /// The file's name in its folder, which stays the same. An exact place follows no link; any other follows every link.
  package func entry() throws(FileFailure) -> FolderEntry {
    switch way {
    case .exact(let path): try FolderEntry(exact: path)
    case .following: try FolderEntry(given: (FileSystem.realPath(path) ?? path).pathBytes)
    }
  }

  /// Opens the file that was written there, to read it.
  package func reopened() throws(FileFailure) -> OpenFile {
    let opening = Opening.reading
    let file = OpenFile(owning: try FileFailure.check(try entry().open(opening.allFlags)))
    try opening.check(file)
    return file
  }
}
