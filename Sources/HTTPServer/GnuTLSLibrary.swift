import CGnuTLSShims

/// GnuTLS itself, loaded on first use.
enum GnuTLSLibrary {
  /// Why GnuTLS cannot be loaded; nil when it is there. The first access loads it.
  private static let loadFailure: String? = cgnutls_load().map { String(cString: $0) }

  static func load() throws(HTTPServerError) {
    guard let loadFailure else { return }
    throw HTTPServerError(
      kind: .tls, message: "GnuTLS cannot be loaded: \(loadFailure)", hint: "install the package libgnutls30")
  }
}
