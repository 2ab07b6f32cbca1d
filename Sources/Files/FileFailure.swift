import Glibc

/// The reason why a file or a folder cannot be used.
package struct FileFailure: Error, Sendable {
  /// The system's number (errno).
  package let number: CInt
  /// The text to print behind the path and a colon: `No such file or directory`.
  package let reason: String

  package init(number: CInt, _ reason: String? = nil) {
    self.number = number
    self.reason = reason ?? String(cString: strerror(number))
  }

  /// The reason for a thing that is no regular file.
  static func sentence(_ kind: mode_t) -> String {
    let name =
      switch kind {
      case S_IFIFO: "a pipe"
      case S_IFSOCK: "a socket"
      case S_IFDIR: "a folder"
      default: "a device"
      }
    return "it is \(name), expected a file"
  }
}
