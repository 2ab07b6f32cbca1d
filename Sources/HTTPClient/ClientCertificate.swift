package import Core

/// A certificate with its private key, by which a client says who it is in TLS (RFC 8446, 4.4.2; RFC 8705).
package struct ClientCertificate: Sendable, Equatable {
  /// PEM, the client's own certificate first.
  package let chain: [UInt8]
  /// PEM without a passphrase.
  package let key: Secret
  /// The SHA-256 hash of the certificate in base64url, `x5t#S256`. It tells certificates apart: a connection that was made
  /// with one of them carries no request with another one.
  package let thumbprint: String

  package init(chain: [UInt8], key: Secret, thumbprint: String) {
    self.chain = chain
    self.key = key
    self.thumbprint = thumbprint
  }

  package static func == (left: Self, right: Self) -> Bool { left.thumbprint == right.thumbprint }
}
