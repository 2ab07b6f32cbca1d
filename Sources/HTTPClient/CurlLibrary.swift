import CCurlShims

/// libcurl itself, loaded on first use.
enum CurlLibrary {
  /// The reason why libcurl cannot be loaded; nil if it is there. The first access loads it.
  static let loadFailure: String? = ccurl_load().map { String(cString: $0) }

  static func load() throws(HTTPError) {
    guard let loadFailure else { return }
    throw HTTPError(
      kind: .transfer, message: "libcurl cannot be loaded: \(loadFailure)",
      hint: "install the package libcurl4")
  }
}
