package import Glibc

/// A database's name in a folder that is held open: nobody changes anything by moving the folder or by links. The files
/// beside a database have its name and an ending. No link is followed to any of them.
package final class DatabasePlace: Sendable {
  /// As messages call it.
  package let path: String
  /// Open as long as this object lives.
  let folder: CInt
  /// With a NUL at its end.
  private let name: [CChar]

  /// - Parameter folder: a descriptor of the folder, by O_PATH or to read. It is closed by this object.
  /// - Parameter name: the name in there, with a NUL at its end.
  package init(_ path: String, owning folder: CInt, name: [CChar]) {
    self.path = path
    self.folder = folder
    self.name = name
  }

  deinit { close(folder) }

  /// The name under which SQLite opens it by the VFS "b2c-folder".
  func vfsName(isReadOnly: Bool) -> [CChar] {
    "/\(isReadOnly ? "r" : "w")\(folder)/".utf8CString.dropLast() + name
  }

  /// Opens the file with that ending, but no link, and does not wait for a reader of a pipe. -1 with `errno`.
  package func open(_ ending: String, _ flags: CInt, _ mode: mode_t = 0) -> CInt {
    openat(folder, sibling(ending), flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode)
  }

  /// The status of the file with that ending, and of a link itself; nil if there is none.
  package func status(_ ending: String = "") -> stat? {
    var status = stat()
    return fstatat(folder, sibling(ending), &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Removes the file with that ending. False with `errno`.
  @discardableResult
  package func remove(_ ending: String) -> Bool { unlinkat(folder, sibling(ending), 0) == 0 }

  /// Gives the file with that ending another, in the place of what is there. False with `errno`.
  package func rename(_ ending: String, to other: String) -> Bool {
    renameat(folder, sibling(ending), folder, sibling(other)) == 0
  }

  /// After this, the names in the folder outlive the machine.
  package func syncFolder() {
    let readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard readable >= 0 else { return }
    fsync(readable)
    close(readable)
  }

  private func sibling(_ ending: String) -> [CChar] { name.dropLast() + Array(ending.utf8CString) }
}
