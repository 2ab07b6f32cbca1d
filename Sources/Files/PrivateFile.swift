package import Glibc

/// The one door for files with secrets: private keys, client secrets, tokens. A file that other users can write may have the
/// secret of one of them: this program would sign for them, or send data to their account. Whether others may read a file is
/// up to its owner: containers mount secrets with mode 0444.
package enum PrivateFile {
  /// Opens the file at a path that a person or the host names.
  /// - Throws: also for a file of another user, and for one that other users can write. Pipes and devices pass.
  package static func open(_ path: String) throws(FileFailure) -> OpenFile {
    let file = try OpenFile(path, .streaming)
    try check(file, path)
    return file
  }

  /// The contents of such a file. Throws EFBIG for more than `limit` bytes.
  package static func contents(of path: String, limit: Int) throws(FileFailure) -> [UInt8] {
    try open(path).contents(limit: limit)
  }

  /// Checks a file that is open. The own group may write: in many systems, each user has one alone.
  package static func check(_ file: OpenFile, _ path: String) throws(FileFailure) {
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { return }
    guard geteuid() == 0 || [geteuid(), 0].contains(status.st_uid) else {
      throw FileFailure(
        number: EPERM, "it belongs to another user (number \(status.st_uid)); give a file of your own, with mode 0600")
    }
    let excess: mode_t = status.st_gid == getegid() ? 0o002 : 0o022
    guard status.st_mode & excess == 0 else {
      throw FileFailure(
        number: EPERM,
        "others can write it (mode \(mode(status))): look whether it still has your secret, and run chmod 600 '\(path)'"
      )
    }
  }

  /// The permissions in the digits of chmod(1): `0644`.
  package static func mode(_ status: stat) -> String {
    "0" + String(String(status.st_mode & 0o777 | 0o1000, radix: 8).dropFirst())
  }
}
