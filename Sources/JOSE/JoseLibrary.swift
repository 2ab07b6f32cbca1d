import CJoseShims

/// libjose and libcrypto themselves, loaded on first use.
enum JoseLibrary {
  /// Why they cannot be loaded; nil when they are there. The first access loads them.
  static let loadFailure: String? = cjose_load().map { String(cString: $0) }

  static func load() throws(JOSEError) {
    guard let loadFailure else { return }
    throw JOSEError(.failed, "libjose cannot be loaded: \(loadFailure)", hint: "install the package libjose0")
  }
}
