package import Glibc

/// How a file is opened, and what has to be there.
package struct Opening: Sendable {
  /// What has to be there.
  package enum Kind: Sendable {
    case any, file, folder
  }

  /// As open(2) takes them.
  package let flags: CInt
  /// The permissions of a file that is made.
  package let mode: mode_t
  package let kind: Kind

  package init(_ flags: CInt, mode: mode_t = 0o666, expecting kind: Kind = .any) {
    self.flags = flags
    self.mode = flags & O_CREAT == 0 ? 0 : mode
    self.kind = kind
  }

  /// A regular file, to be read. A pipe whose other end nobody opens, or a device, is refused and not waited for.
  package static let reading = Opening(O_RDONLY, expecting: .file)
  /// A file of any kind, to be read: a pipe or a terminal, too.
  package static let streaming = Opening(O_RDONLY)
  /// A folder, whose names are to be read.
  package static let listing = Opening(O_RDONLY, expecting: .folder)

  package var reads: Bool { flags & O_ACCMODE != O_WRONLY }
  package var writes: Bool { flags & O_ACCMODE != O_RDONLY }

  /// No program that is started inherits the descriptor, and no terminal becomes the one that controls this process.
  var allFlags: CInt {
    let flags = flags | O_CLOEXEC | O_NOCTTY
    return switch kind {
    case .any: flags
    // Opening a pipe would wait for its other end.
    case .file: flags | O_NONBLOCK
    case .folder: flags | O_DIRECTORY
    }
  }

  /// Refuses what is not of the kind.
  func check(_ file: OpenFile) throws(FileFailure) {
    guard kind == .file else { return }
    let kind = try file.status().st_mode & S_IFMT
    guard kind != S_IFREG else { return }
    throw kind == S_IFDIR ? FileFailure(number: EISDIR) : FileFailure(number: EINVAL, FileFailure.sentence(kind))
  }
}
