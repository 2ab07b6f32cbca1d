import Core
import Crypto
package import JOSE
package import JSON

/// The key of a client that proves with each request that its tokens are its own (RFC 9449).
package struct ProofKey: Sendable {
  package let key: PrivateKey
  /// The hash of the public half (`jkt`), to which the provider binds tokens and codes.
  package let thumbprint: String
  private let algorithm: SignatureAlgorithm
  private let signer: RepeatedSigner

  /// - Parameter algorithms: the ones to choose from; nil for those of the key.
  /// - Throws: `invalid_key` for a symmetric key, and for a key that can use none of the algorithms.
  package init(_ key: PrivateKey, algorithms: [String]? = nil) throws(JOSEError) {
    guard let publicKey = key.publicKey else {
      throw JOSEError(
        .invalidKey,
        "\(key.place) cannot make DPoP proofs: it is symmetric, and nobody else may know the key of a proof",
        hint: "use an EC, RSA or OKP key, such as jose.key.generate { alg = \"ES256\" }")
    }
    let possible = key.algorithms
    guard let algorithm = possible.first(where: { algorithms?.contains($0.rawValue) ?? true }) else {
      throw JOSEError(
        .invalidKey,
        "\(key.place) cannot make DPoP proofs for this provider, which takes \((algorithms ?? []).joined(separator: ", ")) "
          + "(dpop_signing_alg_values_supported), and the key signs with \(possible.map(\.rawValue).joined(separator: ", "))",
        hint: "use a key for one of these algorithms, or dpop = true")
    }
    self.key = key
    thumbprint = publicKey.thumbprint
    // The key is named by itself, so that it needs none of its other members (RFC 9449, 4.2).
    let members = (publicKey.json.object ?? [:]).filter { ["kty", "crv", "x", "y", "n", "e"].contains($0.key) }
    let header: JSON = ["typ": "dpop+jwt", "alg": .string(algorithm.rawValue), "jwk": .object(members)]
    signer = try RepeatedSigner(key, algorithm, header: header)
    self.algorithm = algorithm
  }

  /// A new key for the first supported one of the algorithms; for ES256 if they are nil.
  package static func generate(algorithms: [String]? = nil) throws(JOSEError) -> ProofKey {
    let usable = algorithms?.first { $0 == "ES256" } ?? algorithms?.first { JWS.asymmetricAlgorithms.contains($0) }
    let algorithm = usable ?? "ES256"
    let kind = try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: algorithm)
    return try ProofKey(.generate(kind, algorithm: algorithm), algorithms: algorithms)
  }

  /// The value of the header field `DPoP` for one request.
  /// - Parameter now: Unix seconds.
  func proof(_ content: ProofContent, now: Double) throws(JOSEError) -> String {
    try proof(content.claims(now: now))
  }

  /// - Parameter claims: the text of the claims' object up to `jti`.
  func proof(_ claims: [UInt8]) throws(JOSEError) -> String {
    try signer.sign(claims + Array("\"\(SecureRandom.token(16))\"}".utf8))
  }

  /// The hash of an access token (RFC 9449, 4.2).
  static func hash(_ token: Secret) -> String { Base64URL.encode(SHA256.hash(token.reveal().utf8)) }

  /// The private key with its algorithm, for the place that seals it.
  package func reveal() -> JSON {
    var members = key.reveal().object ?? [:]
    members["alg"] = .string(algorithm.rawValue)
    return .object(members)
  }
}

/// The key and the APIs that the tokens of a sign-in are bound to. A refresh needs them again, and each request the key.
package struct TokenBinding: Sendable {
  package var proofKey: ProofKey?
  /// The APIs that the tokens were asked for (RFC 8707), as absolute URIs.
  package var resources: [String]

  package init(proofKey: ProofKey? = nil, resources: [String] = []) {
    self.proofKey = proofKey
    self.resources = resources
  }

  /// The sealed form; nil for tokens that are bound to nothing.
  package var json: JSON? {
    var members: [String: JSON] = [:]
    members["proof_key"] = proofKey?.reveal()
    if !resources.isEmpty { members["resources"] = .array(resources.map { .string($0) }) }
    return members.isEmpty ? nil : .object(members)
  }

  /// - Throws: `invalid_key` for a key that cannot be read.
  package init(_ json: JSON?) throws(JOSEError) {
    resources = json?["resources"]?.array?.compactMap(\.string) ?? []
    if let key = json?["proof_key"] { proofKey = try ProofKey(PrivateKey(jwk: key, at: "the account's key")) }
  }
}
