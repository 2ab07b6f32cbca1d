import CJoseShims
import Core

/// libjose and libcrypto themselves, loaded on first use.
enum JoseLibrary {
  private static let library = LazyLibrary("libjose", package: "libjose0", cjose_load)

  static func load() throws(JOSEError) {
    try library.demand { JOSEError(.failed, $0, hint: $1) }
  }
}
