import Core
package import HTTPClient
import JOSE
import JSON
import Settings

/// The client's certificate (RFC 8705): the provider learns from it who the client is, and binds tokens to it.
extension OAuthClient {
  /// The certificate of the setting `clientCertificate`, which is read once; nil without one.
  /// - Throws: the reason why certificate or key cannot be read or used.
  package func certificate(_ stage: OAuthError.Stage) async throws(OAuthError) -> ClientCertificate? {
    if let loadedCertificate { return loadedCertificate }
    guard let place = settings.clientCertificate, let loadCertificate else {
      guard settings.clientCertificateKey == nil || loadCertificate == nil else {
        throw OAuthError(
          "missing_certificate", stage, "\(settings.source) has clientCertificateKey and no clientCertificate",
          hint: "put the file of the certificate into the settings")
      }
      return nil
    }
    do {
      let (pem, key) = try await loadCertificate(place, settings.clientCertificateKey)
      let certificate = try Certificate(pem: pem, at: "the certificate in \(place)")
      try certificate.checkValidity(at: UnixTime(now()))
      try certificate.check(belongsTo: key)
      let made = ClientCertificate(chain: pem, key: try key.pem(), thumbprint: certificate.thumbprint)
      loadedCertificate = made
      return made
    } catch {
      let failure = error as? any Failure
      throw OAuthError(
        failure?.code ?? "invalid_key", stage,
        "clientCertificate in \(settings.source): \(failure?.message ?? "\(error)")", hint: failure?.hint)
    }
  }

  /// Refuses an access token that is bound to another certificate, as far as the token can be read.
  func checkBinding(of tokens: TokenSet, _ stage: OAuthError.Stage) async throws(OAuthError) {
    guard let certificate = try await certificate(stage), let token = tokens.accessToken,
      let bound = (try? JWT(decoding: token.reveal()))?.claims["cnf"]?["x5t#S256"]?.string,
      bound != certificate.thumbprint
    else { return }
    throw .mismatch(
      "unsupported_token_type", stage,
      "the provider gave an access token that is bound to another certificate than the client's (cnf, x5t#S256)",
      expected: certificate.thumbprint, actual: bound,
      hint: "a proxy between this machine and the provider may show its own certificate")
  }
}
