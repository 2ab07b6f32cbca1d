/// A server certificate and its private key, both as PEM.
package struct TLSIdentity: Sendable {
  /// The certificate chain, with the server's certificate first.
  package let certificate: String
  /// The private key. Its file needs mode 0600: anybody with the key can pose as this server.
  package let key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}
