package import Core
import Glibc

/// A trace that cannot be written or read.
package typealias TraceError = DomainError<TraceProblem>

/// The kinds of `TraceError`.
package enum TraceProblem: String, FailureKind {
  case unwritable = "trace_unwritable"
  case unreadable
  case malformed = "malformed_trace"
  case notATrace = "not_a_trace"
  case newer = "newer_trace"
}

extension TraceError {
  /// - Parameter what: `the trace flow.html`
  package static func unwritable(_ what: String, _ number: CInt = errno) -> TraceError {
    TraceError(
      .unwritable, "\(what) cannot be written: \(String(cString: strerror(number)))",
      hint: number == ENOENT ? "make its folder first" : nil)
  }

  package static func unreadable(_ name: String, _ reason: String) -> TraceError {
    TraceError(.unreadable, "cannot read \(name): \(reason)")
  }

  package static func malformed(_ name: String, line: Int) -> TraceError {
    TraceError(
      .malformed, "\(name):\(line): expected an event, a JSON object with a type",
      hint: "the file was changed after it was recorded; record it again")
  }

  package static func notATrace(_ name: String, _ reason: String) -> TraceError {
    let recording = "b2c-run --trace FILE.json records what trace show and trace compare read"
    let hint =
      switch name.fileEnding {
      case "html", "htm": "open it in a browser; \(recording)"
      case "har": "the developer tools of a browser open it; \(recording)"
      default: "record one with b2c-run --trace FILE.json SCRIPT"
      }
    return TraceError(.notATrace, "\(name) is not a trace: \(reason)", hint: hint)
  }

  package static func newer(_ name: String, _ version: Int) -> TraceError {
    TraceError(
      .newer,
      "\(name) is a trace of version \(version), and this program reads version \(TraceFormat.version)",
      hint: "read it with the b2c-run that recorded it, or a newer one")
  }
}
