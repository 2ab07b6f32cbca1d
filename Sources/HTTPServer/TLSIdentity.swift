/// A server certificate and its private key, both PEM.
package struct TLSIdentity: Sendable {
  /// The certificate chain, the server's own first.
  package let certificate: String
  /// The private key. Whoever has it can pose as this server: a file of it needs mode 0600.
  package let key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}
