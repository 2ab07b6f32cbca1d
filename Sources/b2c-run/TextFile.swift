import Glibc

/// A file that a command writes for its user.
enum TextFile {
  /// Writes `text` to `path`, making the folders it is in.
  static func write(_ text: String, to path: String) throws(UsageError) {
    for (index, character) in zip(path.indices, path) where character == "/" && index != path.startIndex {
      let folder = String(path[..<index])
      guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw failure("make the folder \(folder)") }
    }
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw failure("write \(path)") }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("write \(path)") }
      rest = rest.dropFirst(count)
    }
  }

  private static func failure(_ what: String) -> UsageError {
    UsageError("cannot \(what): \(String(cString: strerror(errno)))", hint: "name a folder that can be written to")
  }
}
