import Glibc

/// Why a file or a folder cannot be used.
package struct FileFailure: Error, Sendable {
  /// As the system numbers it.
  package let number: CInt
  /// What goes behind the path and a colon: `No such file or directory`.
  package let reason: String

  package init(number: CInt, _ reason: String? = nil) {
    self.number = number
    self.reason = reason ?? String(cString: strerror(number))
  }

  /// Says of what is no regular file what it is.
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
