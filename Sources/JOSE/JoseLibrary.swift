import CJoseShims
import Glibc

/// libjose and libcrypto themselves, loaded on first use.
enum JoseLibrary {
  /// Why they cannot be loaded; nil when they are there. The first access loads them.
  private static let loadFailure: String? = cjose_load().map { String(cString: $0) }
  private static let hint = "install the package libjose0"

  static func load() throws(JOSEError) {
    guard let loadFailure else { return }
    throw JOSEError(.failed, "libjose cannot be loaded: \(loadFailure)", hint: hint)
  }

  /// The same for what cannot fail else, and is everywhere: ends the process as the dynamic loader does when a library is
  /// missing that a program is linked to.
  static func demand() {
    guard let loadFailure else { return }
    let text = Array("libcrypto cannot be loaded: \(loadFailure)\n  hint: \(hint)\n".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(127)
  }
}
