package import Glibc

/// The way to open a file, and the kind of file to expect.
package struct Opening: Sendable {
  /// The expected kind of file.
  package enum Kind: Sendable {
    case any, file, folder
  }

  /// The flags of open(2).
  package let flags: CInt
  /// The permissions of a file that is made.
  package let mode: mode_t
  package let kind: Kind

  package init(_ flags: CInt, mode: mode_t = 0o666, expecting kind: Kind = .any) {
    self.flags = flags
    self.mode = flags & O_CREAT == 0 ? 0 : mode
    self.kind = kind
  }

  /// Reads a regular file. A pipe or a device is refused at once.
  package static let reading = Opening(O_RDONLY, expecting: .file)
  /// Reads a file of any kind, also a pipe or a terminal.
  package static let streaming = Opening(O_RDONLY)
  /// Reads the names in a folder.
  package static let listing = Opening(O_RDONLY, expecting: .folder)

  package var reads: Bool { flags & O_ACCMODE != O_WRONLY }
  package var writes: Bool { flags & O_ACCMODE != O_RDONLY }

  /// Child processes do not inherit the descriptor, and a terminal does not become the controlling one.
  var allFlags: CInt {
    let flags = flags | O_CLOEXEC | O_NOCTTY
    return switch kind {
    case .any: flags
    // Otherwise opening a pipe waits for its other end.
    case .file: flags | O_NONBLOCK
    case .folder: flags | O_DIRECTORY
    }
  }

  func check(_ file: OpenFile) throws(FileFailure) {
    guard kind == .file else { return }
    let kind = try file.status().st_mode & S_IFMT
    guard kind != S_IFREG else { return }
    throw kind == S_IFDIR ? FileFailure(number: EISDIR) : FileFailure(number: EINVAL, FileFailure.sentence(kind))
  }
}
