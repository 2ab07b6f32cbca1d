import Core
import Glibc

/// The absolute place to which a path leads, with every link followed as the kernel does. The place need not exist yet. Names
/// are bytes: two spellings of one letter are two files.
package struct ResolvedPath: Hashable, Sendable {
  package typealias Bytes = [UInt8]

  package let bytes: Bytes
  /// True if a link of /proc is on the way. Only the kernel knows the real target of such a link.
  package let isByProcess: Bool
  /// True if the path has `..` or a slash behind something that is no folder: the kernel then finds nothing.
  package let isNowhere: Bool

  private static let slash = UInt8(ascii: "/")
  /// The kernel's own limit (path_resolution(7)).
  private static let maximumLinks = 40

  /// `path` is as it was given, relative to the absolute path `base`. `followsLast` is false for an action on a link
  /// itself, such as removing it.
  package init(_ path: Bytes, from base: Bytes, followsLast: Bool = true) {
    self.init(path, from: base, followsLast: followsLast) { _ in }
  }

  /// The links on the way to the place of a path.
  package static func links(to path: String, from base: Bytes) -> [ResolvedPath] {
    var links: [ResolvedPath] = []
    _ = ResolvedPath(path.pathBytes, from: base, followsLast: true) { links.append(ResolvedPath(bytes: $0)) }
    return links
  }

  /// True for a path with more bytes than the kernel takes.
  package static func isTooLong(_ path: Bytes) -> Bool { path.count >= PATH_MAX }

  private init(_ path: Bytes, from base: Bytes, followsLast: Bool, onLink: (Bytes) -> Void) {
    guard !Self.isTooLong(path) else {
      bytes = [Self.slash]
      isByProcess = false
      isNowhere = true
      return
    }
    var rest = Self.parts(path.first == Self.slash ? path : base + [Self.slash] + path)
    var done: [Bytes] = []
    var links = 0
    var isByProcess = false
    var isNowhere = false
    let meansFolder = path.last == Self.slash
    while let part = rest.popLast() {
      if part == [UInt8(ascii: ".")] { continue }
      if part == Array("..".utf8) {
        isNowhere = isNowhere || Self.isFolder(Self.joined(done)) != true
        _ = done.popLast()
        continue
      }
      done.append(part)
      guard followsLast || meansFolder || !rest.isEmpty, links < Self.maximumLinks,
        let target = Self.link(at: Self.joined(done))
      else { continue }
      links += 1
      onLink(Self.joined(done))
      isByProcess = isByProcess || done.first == Array("proc".utf8)
      done.removeLast()
      if target.first == Self.slash { done = [] }
      rest += Self.parts(target)
    }
    bytes = Self.joined(done)
    self.isByProcess = isByProcess
    self.isNowhere = isNowhere || meansFolder && Self.isFolder(bytes) == false
  }

  /// The absolute path without following links or asking the system: a script knows this much itself.
  package init(unresolved path: Bytes, from base: Bytes) {
    var done: [Bytes] = []
    for part in Self.parts(path.first == Self.slash ? path : base + [Self.slash] + path).reversed() {
      switch part {
      case Array(".".utf8): continue
      case Array("..".utf8): _ = done.popLast()
      default: done.append(part)
      }
    }
    self.init(bytes: Self.joined(done))
  }

  /// A path without links.
  package init(name: String) { self.init(bytes: Array(name.utf8)) }

  private init(bytes: Bytes) {
    self.bytes = bytes
    isByProcess = false
    isNowhere = false
  }

  package init(_ path: String, from base: Bytes) { self.init(path.pathBytes, from: base) }

  /// True for `folder` itself and everything in it.
  package func isWithin(_ folder: ResolvedPath) -> Bool {
    if folder.bytes == [Self.slash] || bytes == folder.bytes { return true }
    return bytes.starts(with: folder.bytes) && bytes[folder.bytes.count] == Self.slash
  }

  /// True if both paths lead to one regular file, which need not exist yet. Symbolic and hard links are names of one file.
  package static func areOneFile(_ path: String, _ other: String) -> Bool {
    let (one, other) = (ResolvedPath(path, from: currentFolder), ResolvedPath(other, from: currentFolder))
    guard let status = one.status(), let theirs = other.status() else { return one.bytes == other.bytes }
    return status.st_mode & S_IFMT == S_IFREG && status.st_dev == theirs.st_dev && status.st_ino == theirs.st_ino
  }

  package var text: String { String(pathBytes: bytes) }

  /// The folder where relative paths begin.
  package static var currentFolder: Bytes {
    guard let path = getcwd(nil, 0) else { return [slash] }
    defer { free(path) }
    return Array(UnsafeRawBufferPointer(start: path, count: strlen(path)))
  }

  /// The names of a path, the first one last.
  private static func parts(_ path: Bytes) -> [Bytes] {
    path.split(separator: slash).map(Array.init).reversed()
  }

  private static func joined(_ parts: [Bytes]) -> Bytes {
    parts.isEmpty ? [slash] : parts.reduce(into: []) { $0 += [slash] + $1 }
  }

  /// Nil if there is nothing.
  private static func isFolder(_ path: Bytes) -> Bool? {
    ResolvedPath(bytes: path).status().map { $0.st_mode & S_IFMT == S_IFDIR }
  }

  /// Nil if there is nothing.
  private func status() -> stat? {
    (bytes + [0]).withUnsafeBytes { path in
      var status = stat()
      return stat(path.baseAddress!.assumingMemoryBound(to: CChar.self), &status) == 0 ? status : nil
    }
  }

  /// The target of the link at `path`; nil for anything but a link.
  static func link(at path: Bytes) -> Bytes? {
    (path + [0]).withUnsafeBytes { path in
      var target = Bytes(repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path.baseAddress!.assumingMemoryBound(to: CChar.self), &target, target.count)
      return count > 0 ? Array(target[..<count]) : nil
    }
  }
}
