import CJoseShims
import Core
import Glibc

/// libjose and libcrypto themselves, loaded on first use.
enum JoseLibrary {
  private static let library = LazyLibrary("libjose", package: "libjose0", cjose_load)

  static func load() throws(JOSEError) {
    try library.demand { JOSEError(.failed, $0, hint: $1) }
  }

  /// Ends the process if the libraries cannot be loaded, as the dynamic loader does for libraries that are linked. For
  /// functions that cannot fail otherwise.
  static func demand() {
    do { try load() } catch {
      let text = Array("\(error.message)\n  hint: \(error.hint ?? "")\n".utf8)
      _ = write(STDERR_FILENO, text, text.count)
      exit(127)
    }
  }
}
