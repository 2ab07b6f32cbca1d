import CCryptoShims
import Core
import Glibc

/// libcrypto, loaded on first use. It comes with libjose, which the program needs anyway.
enum CryptoLibrary {
  private static let library = LazyLibrary("libjose", package: "libjose0", ccrypto_load)

  private struct Missing: Error {
    var message: String
    var hint: String
  }

  /// Ends the process if the library cannot be loaded, as the dynamic loader does for libraries that are linked: a hash
  /// cannot fail otherwise.
  static func demand() {
    do { try library.demand { Missing(message: $0, hint: $1) } } catch {
      let text = Array("\(error.message)\n  hint: \(error.hint)\n".utf8)
      _ = write(STDERR_FILENO, text, text.count)
      exit(127)
    }
  }
}
