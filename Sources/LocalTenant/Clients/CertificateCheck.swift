import Crypto
import HTTPServer
import JSON

/// The check of a client's certificate (RFC 8705 §2).
struct CertificateCheck {
  let client: Application
  let clock: TenantClock

  func verify(_ certificate: PeerCertificate?) throws(ProtocolError) {
    guard let certificate else {
      throw refusal("the request came without a certificate, which only https can show")
    }
    guard certificate.validity.contains(clock.now) else { throw refusal("it is not valid now") }
    if client.method == .certificate {
      guard certificate.isTrusted else { throw refusal("no authority that the tenant trusts issued it (--client-ca)") }
      let expected = client.metadata["tls_client_auth_subject_dn"]?.string ?? ""
      guard certificate.subject == expected else {
        throw refusal("its subject is '\(certificate.subject)', not '\(expected)' (tls_client_auth_subject_dn)")
      }
    } else {
      guard client.keys.contains(where: { $0.certificateThumbprint == certificate.thumbprint }) else {
        throw refusal("it is not registered for the client: its x5t#S256 is \(certificate.thumbprint)")
      }
    }
  }

  private func refusal(_ reason: String) -> ProtocolError {
    ProtocolError("invalid_client", "The client's certificate is refused: \(reason).")
  }
}

extension PeerCertificate {
  /// `x5t#S256` (RFC 8705 §3.1).
  var thumbprint: String { Base64URL.encode(SHA256.hash(der)) }
}

extension Application {
  /// True if the access tokens of the application are bound to its certificate (RFC 8705 §3.4).
  var bindsCertificates: Bool {
    method?.isCertificate == true || metadata["tls_client_certificate_bound_access_tokens"]?.bool == true
  }
}
