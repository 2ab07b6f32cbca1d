import Core

/// A file that the program is to write or read and cannot, in a sentence that names it.
package struct FileError: Failure {
  package let code: String
  package let message: String
  package let hint: String?
  package let details: [String: String]

  /// A file that cannot be written: `unwritable`.
  static func unwritable(_ path: String, _ reason: String, hint: String? = nil) -> FileError {
    FileError(
      code: "unwritable", message: "\(path) cannot be written: \(reason)", hint: hint, details: ["path": path])
  }
}
