import HTTPServer

/// A wrong answer to a client with a certificate, for `tenant.fault { mtls = … }`.
package enum CertificateFault: String, Sendable, CaseIterable {
  /// The access token is bound to another certificate.
  case wrongThumbprint = "wrong_thumbprint"
  /// The metadata names a token endpoint for mutual TLS on another host.
  case aliasHost = "alias_host"
  /// The metadata names a token endpoint for mutual TLS without TLS.
  case aliasHTTP = "alias_http"

  func applies(to request: ServerRequest) -> Bool {
    request.path.hasSuffix(self == .wrongThumbprint ? "/token" : "/openid-configuration")
  }
}
