import Core

/// The error of a file that cannot be written. Its message names the file.
package struct FileError: Failure {
  package let code: String
  package let message: String
  package let hint: String?
  package let details: [String: String]

  package static func unwritable(_ path: String, _ reason: String, hint: String? = nil) -> FileError {
    FileError(code: "unwritable", message: "\(path) cannot be written: \(reason)", hint: hint, details: ["path": path])
  }
}
