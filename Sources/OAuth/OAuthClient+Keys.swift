import HostLoop
import JOSE
import JSON

extension OAuthClient {
  /// An unknown key is looked for at most once in so many seconds, however many tokens name it.
  private static let searchInterval = 5.0

  /// The key of the provider that signed a token.
  ///
  /// - Parameters:
  ///   - keyID: the token's `kid`; without one there must be only one key that it can be (OpenID Connect Core, 10.1).
  ///   - algorithm: the token's `alg`.
  func key(_ keyID: String?, _ algorithm: String, _ metadata: ProviderMetadata) async throws(OAuthError) -> JWK {
    guard let url = metadata[.keys] else {
      throw OAuthError("missing_endpoint", .validation, "the provider \(metadata.issuer) names no keys (jwks_uri)")
    }
    let what = "the key set"
    if let key = Self.find(keyID, algorithm, try keys(await documents.document(url, what), url)) { return key }
    // The provider may have changed its keys since they were fetched, and another token may have shown that already.
    if maySearch(url) { documents.startFetch(url, what) }
    let keys = try keys(await documents.latest(url, what), url)
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

  /// True if it is time to ask the provider again for a document that lacks what a token names.
  func maySearch(_ url: String) -> Bool {
    let now = now()
    // A clock that was set back since must not end the search.
    if let last = searches[url], abs(now - last) < Self.searchInterval { return false }
    searches[url] = now
    return true
  }

  private static func find(_ keyID: String?, _ algorithm: String, _ keys: JWKSet) -> JWK? {
    // Keys of several types may share an ID (RFC 7517, 4.5).
    let type = algorithm.hasPrefix("ES") ? "EC" : "RSA"
    let candidates = keys.keys.filter { $0.type == type && $0.isForSignatures }
    if let keyID { return candidates.first { $0.keyID == keyID } }
    let possible = candidates.filter { ($0.algorithm ?? algorithm) == algorithm }
    return possible.count == 1 ? possible[0] : nil
  }

  private func keys(_ json: JSON, _ url: String) throws(OAuthError) -> JWKSet {
    do { return try JWKSet(json) } catch {
      throw OAuthError("malformed_metadata", .metadata, "the key set \(url) cannot be used: \(error.message)")
    }
  }
}
