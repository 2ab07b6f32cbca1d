import CMicrohttpdShims
import Core

/// libmicrohttpd itself, loaded on first use.
enum MicrohttpdLibrary {
  private static let library = LazyLibrary("libmicrohttpd", package: "libmicrohttpd12", cmhd_load)

  static func load() throws(HTTPServerError) {
    try library.demand { HTTPServerError(kind: .startFailed, message: $0, hint: $1) }
  }
}
