import CJoseShims
package import Core
import Crypto

/// An X.509 certificate of a client (RFC 8705).
package struct Certificate: Sendable {
  /// `x5t#S256`: the SHA-256 hash of the certificate in base64url (RFC 8705, 3.1).
  package let thumbprint: String
  package let notBefore: UnixTime
  package let notAfter: UnixTime
  package let publicKey: JWK
  private let place: String

  /// The first certificate in a PEM text.
  /// - Parameter place: for messages, such as "the certificate in client.crt".
  package init(pem: [UInt8], at place: String = "the PEM text") throws(JOSEError) {
    try JoseLibrary.load()
    let labels = PEM(pem).labels
    guard labels.contains(where: { $0.hasSuffix("CERTIFICATE") }) else {
      throw JOSEError(
        .invalidKey, "\(place) has no certificate: \(labels.first.map { "it is a \($0)" } ?? "it is no PEM text")",
        hint: "give the part \"BEGIN CERTIFICATE\"")
    }
    var read = cjose_certificate()
    guard cjose_pem_certificate(pem, pem.count, &read), let key = CryptoKey(owning: read.key) else {
      throw JOSEError(.invalidKey, "\(place) is damaged: it is not a certificate", hint: "copy the whole file again")
    }
    thumbprint = withUnsafeBytes(of: read.sha256) { Base64URL.encode($0) }
    notBefore = UnixTime(Double(read.not_before))
    notAfter = UnixTime(Double(read.not_after))
    publicKey = try JWK(publicHalfOf: key, at: place)
    self.place = place
  }

  /// - Throws: `certificate_expired` for a certificate that is not valid at that time.
  package func checkValidity(at now: UnixTime = .now) throws(JOSEError) {
    if now.seconds > notAfter.seconds {
      throw JOSEError(
        .certificateExpired, "\(place) expired on \(notAfter.day)", hint: "renew the certificate, and register it again"
      )
    }
    if now.seconds < notBefore.seconds {
      throw JOSEError(
        .certificateExpired, "\(place) is valid from \(notBefore.iso) on",
        hint: "wait, or check the clock of this machine")
    }
  }

  /// - Throws: `invalid_key` if the private key is not the one of the certificate.
  package func check(belongsTo key: PrivateKey) throws(JOSEError) {
    guard key.publicKey?.key.hasPublicHalf(of: publicKey.key) == true else {
      throw JOSEError(
        .invalidKey, "\(place) does not belong to \(key.place): their public keys differ",
        hint: "give the private key that the certificate was requested with")
    }
  }
}
