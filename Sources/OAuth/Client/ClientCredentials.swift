import Core
import Crypto
package import HTTPClient
package import HostLoop
package import JOSE
import JSON
import Settings

/// The key and the certificate that prove who the client is. Each is read once, when the first request needs it.
@HostActor
package final class ClientCredentials {
  private let settings: Settings
  private let now: @Sendable () -> Double
  /// Reads the key that the setting `clientKey` names.
  package var loadKey: (@HostActor (_ place: String) async throws -> PrivateKey)?
  /// Reads the certificate, and the key of the settings `clientCertificate` and `clientCertificateKey`.
  package var loadCertificate:
    (@HostActor (_ place: String, _ keyPlace: String?) async throws -> (pem: [UInt8], key: PrivateKey))?
  private var loadedKey: PrivateKey?
  private var loadedCertificate: ClientCertificate?

  nonisolated init(_ settings: Settings, now: @escaping @Sendable () -> Double) {
    self.settings = settings
    self.now = now
  }

  /// The key that signs client assertions (RFC 7523).
  func assertionKey(
    _ method: ClientAuthentication, _ stage: OAuthError.Stage
  ) async throws(OAuthError) -> PrivateKey {
    guard method == .keyJWT else { return try secretKey(stage) }
    let key = try await key(stage)
    guard key.type != "oct" else {
      throw OAuthError(
        "invalid_key", stage, "private_key_jwt needs a private key, and \(key.place) is a symmetric one",
        hint: "use an RSA, EC or Ed25519 key, or clientAuthentication = client_secret_jwt with clientSecret")
    }
    return key
  }

  private func secretKey(_ stage: OAuthError.Stage) throws(OAuthError) -> PrivateKey {
    let secret = Array((settings.clientSecret?.reveal() ?? "").utf8)
    guard secret.count >= 32 else {
      throw OAuthError(
        "invalid_key", stage,
        "client_secret_jwt needs a client secret of at least 32 bytes (RFC 7518, 3.2); \(settings.source) has one of "
          + "\(secret.count)", hint: "register a longer secret, or use another clientAuthentication")
    }
    do throws(JOSEError) {
      return try PrivateKey(
        jwk: ["kty": "oct", "k": .string(Base64URL.encode(secret))], at: "clientSecret in \(settings.source)")
    } catch { throw OAuthError(error, stage) }
  }

  /// The key of the setting `clientKey`.
  /// - Throws: the reason why the key cannot be read or used.
  package func key(_ stage: OAuthError.Stage) async throws(OAuthError) -> PrivateKey {
    if let key = loadedKey { return key }
    guard let source = settings.clientKey, let loadKey else {
      throw OAuthError(
        "missing_key", stage, "\(settings.source) has no clientKey",
        hint: "put the file of the private key into the settings, or stored:NAME")
    }
    do {
      let key = try await loadKey(source)
      loadedKey = key
      return key
    } catch {
      throw OAuthError.unusable(error, stage, "clientKey in \(settings.source): ")
    }
  }

  /// The certificate of the setting `clientCertificate`, for mutual TLS (RFC 8705); nil without one.
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
      throw OAuthError.unusable(error, stage, "clientCertificate in \(settings.source): ")
    }
  }
}

extension OAuthError {
  /// A key or a certificate that cannot be read or used.
  static func unusable(_ error: any Error, _ stage: Stage, _ place: String = "") -> OAuthError {
    (error as? any Failure).map { OAuthError($0, stage, place) } ?? OAuthError("invalid_key", stage, "\(place)\(error)")
  }
}

extension PrivateKey {
  /// The first algorithm of the key that a provider takes.
  /// - Parameters:
  ///   - taken: the algorithms that the provider lists; nil for any.
  ///   - what: says that the provider takes nothing that the key can sign.
  func algorithm(among taken: [String]?, _ stage: OAuthError.Stage, _ what: String) throws(OAuthError) -> String {
    if let algorithm = algorithms.first(where: { taken?.contains($0.rawValue) ?? true }) { return algorithm.rawValue }
    throw .mismatch(
      "algorithm_not_allowed", stage, what, expected: algorithms.map(\.rawValue).joined(separator: ", "),
      actual: taken?.joined(separator: ", ") ?? "", hint: "use a key for one of the provider's algorithms")
  }
}
