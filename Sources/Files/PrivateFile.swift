package import Glibc

/// The one door for files with secrets: private keys, client secrets, tokens. A file that other users can read is not secret any
/// more, and one that they can write has the secret of somebody else.
package enum PrivateFile {
  /// Opens the file at a path that a person or the host names.
  /// - Throws: also for a file of another user, and for one that other users can read or write. Pipes and devices pass.
  package static func open(_ path: String) throws(FileFailure) -> OpenFile {
    let file = try OpenFile(path, .streaming)
    try check(file, path)
    return file
  }

  /// The contents of such a file. Throws EFBIG for more than `limit` bytes.
  package static func contents(of path: String, limit: Int) throws(FileFailure) -> [UInt8] {
    try open(path).contents(limit: limit)
  }

  /// Checks a file that is open. The superuser may give a group the right to read, as for the keys of servers.
  package static func check(_ file: OpenFile, _ path: String) throws(FileFailure) {
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { return }
    guard geteuid() == 0 || [geteuid(), 0].contains(status.st_uid) else {
      throw FileFailure(
        number: EPERM, "it belongs to another user (number \(status.st_uid)); give a file of your own, with mode 0600")
    }
    let excess: mode_t = status.st_uid == 0 && geteuid() != 0 ? 0o037 : 0o077
    guard status.st_mode & excess == 0 else {
      throw FileFailure(
        number: EPERM,
        "it is open to others (mode \(mode(status))); it must have mode 0600: run chmod 600 '\(path)', and replace the secret "
          + "if others may have read it")
    }
  }

  /// The permissions in the digits of chmod(1): `0644`.
  package static func mode(_ status: stat) -> String {
    "0" + String(String(status.st_mode & 0o777 | 0o1000, radix: 8).dropFirst())
  }
}
