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

  /// Returns the result of a system call. Throws the failure of the call if the result is negative.
  @discardableResult
  static func check(_ result: CInt) throws(FileFailure) -> CInt {
    guard result >= 0 else { throw FileFailure(number: errno) }
    return result
  }

  static func sentence(_ kind: mode_t) -> String {
    let names = [S_IFIFO: "a pipe", S_IFSOCK: "a socket"]
    return "it is \(names[kind] ?? "a device"), expected a file"
  }
}
