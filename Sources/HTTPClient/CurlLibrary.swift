import CCurlShims
import Core

/// libcurl itself, loaded on first use.
enum CurlLibrary {
  static let library = LazyLibrary("libcurl", package: "libcurl4", ccurl_load)

  static func load() throws(HTTPError) {
    try library.demand { HTTPError(kind: .transfer, message: $0, hint: $1) }
  }
}
