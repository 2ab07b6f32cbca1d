import Core

/// A file that cannot be read as a trace.
package struct TraceError: Failure {
  package let code: String
  package let message: String
  package let hint: String?

  static func notATrace(_ name: String, _ what: String) -> TraceError {
    let hint =
      switch name.fileEnding {
      case "html", "htm":
        "open it in a browser; b2c-run --trace FILE.json records what trace show and trace compare read"
      case "har":
        "the developer tools of a browser open it; b2c-run --trace FILE.json records what trace show and trace compare read"
      default: "record one with b2c-run --trace FILE.json SCRIPT"
      }
    return TraceError(code: "not_a_trace", message: "\(name) is not a trace: \(what)", hint: hint)
  }

  static func newer(_ name: String, _ version: Int) -> TraceError {
    TraceError(
      code: "newer_trace",
      message: "\(name) is a trace of version \(version), and this program reads version \(RecordedTrace.version)",
      hint: "read it with the b2c-run that recorded it, or a newer one")
  }

  static func unreadable(_ name: String, _ reason: String) -> TraceError {
    TraceError(code: "unreadable", message: "cannot read \(name): \(reason)", hint: nil)
  }

  static func malformed(_ name: String, line: Int, _ reason: String) -> TraceError {
    TraceError(
      code: "malformed_trace", message: "\(name):\(line): \(reason)",
      hint: "the file was changed after it was recorded; record it again")
  }

  static func unwritable(_ name: String, _ reason: String) -> TraceError {
    TraceError(code: "unwritable", message: "cannot write \(name): \(reason)", hint: nil)
  }
}
