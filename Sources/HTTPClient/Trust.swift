import Glibc

/// The certificates that a client trusts besides the system's.
package struct Trust: Hashable, Sendable {
  /// A file of PEM certificates, and the option or variable that names it.
  package private(set) var file: String?
  package private(set) var fileSource = "--cacert"
  /// A folder of certificates under the hashes of their names, as `openssl rehash` makes it; several with colons between.
  package private(set) var folder: String?

  /// The variables that name a file, in the order of their priority, as curl reads them.
  private static let fileVariables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]

  /// - Parameter option: the file of `--cacert`, which has priority over the variables.
  package init(option: String?, environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    folder = value("SSL_CERT_DIR")
    file = option
    guard option == nil, let name = Self.fileVariables.first(where: { value($0) != nil }) else { return }
    file = value(name)
    fileSource = name
  }
}
