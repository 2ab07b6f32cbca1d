import Core
import HTTPClient
import HostLoop
import JOSE
import JSON

/// The public keys of a provider, which its metadata document names (`jwks_uri`).
@HostActor
struct ProviderKeys {
  let documents: DocumentCache
  let metadata: ProviderMetadata
  private let addresses: AddressRule
  private static let what = "the key set"

  init(_ provider: Provider, _ metadata: ProviderMetadata) {
    documents = provider.documents
    self.metadata = metadata
    addresses = provider.documents.addresses(namedBy: metadata.url)
  }

  /// The provider's key that signed a token. Without `kid` it must be the only possible one (OpenID Connect Core,
  /// 10.1).
  func key(_ keyID: String?, _ algorithm: String) async throws(OAuthError) -> JWK {
    guard let url = metadata[.keys] else {
      throw OAuthError("missing_endpoint", .validation, "the provider \(metadata.issuer) names no keys (jwks_uri)")
    }
    if let key = Self.find(keyID, algorithm, try await all(url)) { return key }
    // The provider may have changed its keys since they were fetched, and another token may have shown that already.
    documents.search(url, Self.what, from: addresses)
    let keys = try await all(url, isLatest: true)
    if let key = Self.find(keyID, algorithm, keys) { return key }
    if let keyID, let reason = keys.refused[keyID] {
      throw OAuthError(
        reason.code, .validation,
        "the ID token is signed by the key \"\(keyID)\" of \(metadata.issuer), which cannot be used: \(reason.message)",
        hint: "the provider must publish a key that proves something")
    }
    let known = keys.keys.map { $0.keyID.map { "\"\($0)\"" } ?? "one without an ID" }.joined(separator: ", ")
    throw .mismatch(
      "key_not_found", .validation, "the ID token is signed by a key that \(metadata.issuer) does not publish (kid)",
      expected: known.isEmpty ? "one of no keys" : known, actual: keyID.map { "\"\($0)\"" } ?? "none")
  }

  /// The keys at the address.
  func all(_ url: String, isLatest: Bool = false) async throws(OAuthError) -> JWKSet {
    let json = try await documents.document(url, Self.what, from: addresses, isLatest: isLatest)
    do { return try JWKSet(json) } catch {
      throw OAuthError("malformed_metadata", .metadata, "the key set \(url) cannot be used: \(error.message)")
    }
  }

  private static func find(_ keyID: String?, _ algorithm: String, _ keys: JWKSet) -> JWK? {
    // Keys of several types may share an ID (RFC 7517, 4.5).
    let type = SignatureAlgorithm(rawValue: algorithm)?.keyType
    let candidates = keys.keys.filter { $0.type == type && $0.isForSignatures }
    if let keyID { return candidates.first { $0.keyID == keyID } }
    let possible = candidates.filter { ($0.algorithm ?? algorithm) == algorithm }
    return possible.count == 1 ? possible[0] : nil
  }
}
