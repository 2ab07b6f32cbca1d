import CMicrohttpdShims

/// libmicrohttpd itself, loaded on first use.
enum MicrohttpdLibrary {
  /// Why libmicrohttpd cannot be loaded; nil when it is there. The first access loads it.
  private static let loadFailure: String? = cmhd_load().map { String(cString: $0) }

  static func load() throws(HTTPServerError) {
    guard let loadFailure else { return }
    throw HTTPServerError(
      kind: .startFailed, message: "libmicrohttpd cannot be loaded: \(loadFailure)",
      hint: "install the package libmicrohttpd12")
  }
}
