/// Where a file is to be written.
package struct OutputPlace: Sendable, Equatable {
  /// What is found there on the way, and followed or not.
  enum Way: Sendable, Equatable {
    /// Wherever the path leads when the file is begun, by links too.
    case following
    /// Exactly this absolute path, which was looked at before: a link that is met is another file than that.
    case exact([UInt8])
  }

  /// As it was given, and as messages call it.
  package let path: String
  let way: Way
  /// Whether only a file is replaced. What is no file, such as a pipe, is written to otherwise.
  let isFile: Bool

  /// - Parameter path: links in it are followed.
  package init(_ path: String) {
    self.path = path
    way = .following
    isFile = false
  }

  /// - Parameters:
  ///   - path: as it was given.
  ///   - exact: absolute, and without links as it was looked at. A link that is met on the way is not followed.
  ///   - isFile: whether to write nothing where there is something else than a file.
  package init(_ path: String, exact: [UInt8], isFile: Bool = false) {
    self.path = path
    way = .exact(exact)
    self.isFile = isFile
  }
}
