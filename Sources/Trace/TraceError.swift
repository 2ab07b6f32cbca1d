import Core
import Glibc

/// A trace that cannot be written or read.
package struct TraceError: Failure {
  package let code: String
  package let message: String
  package let hint: String?

  package init(_ code: String, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// By the system's error number, as `errno` has it.
  static func unwritable(_ path: String, _ number: CInt = errno) -> TraceError {
    TraceError(
      "trace_unwritable", "the trace \(path) cannot be written: \(String(cString: strerror(number)))",
      hint: number == ENOENT ? "make its folder first" : nil)
  }
}
