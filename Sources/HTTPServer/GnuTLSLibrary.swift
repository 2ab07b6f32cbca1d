import CGnuTLSShims
import Core

/// GnuTLS itself, loaded on first use.
enum GnuTLSLibrary {
  private static let library = LazyLibrary("GnuTLS", package: "libgnutls30", cgnutls_load)

  static func load() throws(HTTPServerError) {
    try library.demand { HTTPServerError(kind: .tls, message: $0, hint: $1) }
  }
}
