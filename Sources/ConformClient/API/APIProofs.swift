import Conform
import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON

/// Proofs of possession. All but the first check need an API that takes a bound token with a right proof.
extension APICheck {
  static let proofChecks: [APICheck] = [bound, certificate] + wrongProofs

  private static let t = Topic.apiProofs

  private static let bound = t.api(
    "bound-as-bearer", "Token bound to a key, sent as a bearer token",
    .may("A token with cnf.jkt is taken with a proof only.", "RFC 9449, 7.2"), in: .oauth
  ) { api in
    .refused(try await api.ask(bearer: try api.boundToken()))
  }

  private static let certificate = t.api(
    "certificate", "Token bound to a certificate, without it",
    .may("A token with cnf.x5t#S256 is taken with its certificate only.", "RFC 8705, 3"), in: .oauth
  ) { api in
    let thumbprint = Base64URL.encode(SHA256.hash("conform".utf8))
    return .refused(try await api.ask(bearer: try api.token { $0.claims["cnf"] = ["x5t#S256": .string(thumbprint)] }))
  }

  private static let wrongProofs: [APICheck] = [
    wrong("no-proof", "Bound token with the scheme DPoP and no proof", "RFC 9449, 7.1") { $0.count = 0 },
    wrong("two-proofs", "Bound token with two proofs", "RFC 9449, 4.3 (1)") { $0.count = 2 },
    wrong("method", "Proof for another method", "RFC 9449, 4.3 (8)") { $0.claims["htm"] = "PATCH" },
    wrong("address", "Proof for another address", "RFC 9449, 4.3 (9)") {
      $0.claims["htu"] = "https://attacker.example/"
    },
    wrong("hash-missing", "Proof without ath", "RFC 9449, 4.3 (12)") { $0.claims["ath"] = nil },
    wrong("hash", "Proof with the hash of another token", "RFC 9449, 4.3 (12)") {
      $0.claims["ath"] = .string(Base64URL.encode(SHA256.hash("other".utf8)))
    },
    wrong("old", "Proof of an hour ago", "RFC 9449, 4.3 (11)") {
      $0.claims["iat"] = .integer(Int64(UnixTime.now.seconds) - 3600)
    },
    wrong("future", "Proof of tomorrow", "RFC 9449, 4.3 (11)") {
      $0.claims["iat"] = .integer(Int64(UnixTime.now.seconds) + 86_400)
    },
    wrong("id-missing", "Proof without jti", "RFC 9449, 4.3 (3)") { $0.claims["jti"] = nil },
    wrong("time-missing", "Proof without iat", "RFC 9449, 4.3 (3)") { $0.claims["iat"] = nil },
    wrong("type", "Proof with typ JWT", "RFC 9449, 4.3 (4)") { $0.header["typ"] = "JWT" },
    wrong("none", "Proof with alg none", "RFC 9449, 4.3 (5)") { $0.isUnsigned = true },
    wrong("other-key", "Proof by another key", "RFC 9449, 4.3 (12)") { $0.usesOtherKey = true },
    wrong("signature", "Proof with the signature of another key", "RFC 9449, 4.3 (6)") { $0.isSignedByOther = true },
    wrong("replay", "Proof that was used before", "RFC 9449, 11.1") { $0.isReplayed = true },
  ]

  private static func wrong(
    _ name: String, _ title: String, _ source: String, _ edit: @escaping @Sendable (inout ProofPlan) -> Void
  ) -> APICheck {
    let level: Rule =
      name == "replay"
      ? .should("An API takes a proof once.", source) : .must("An API checks each proof.", source)
    return t.api(name, title, level) { api in
      let token = try api.boundToken()
      let right = try ProofPlan(api, token)
      let first = try right.signed(api)
      guard try await api.ask(["DPoP \(token)"], { $0.headers.append("DPoP", first) }).isAccepted else {
        return .notUsed("the API takes no token with a right proof (DPoP)")
      }
      var plan = try ProofPlan(api, token)
      edit(&plan)
      let proofs = plan.isReplayed ? [first] : try plan.all(api)
      return .refused(
        try await api.ask(["DPoP \(token)"]) { request in for proof in proofs { request.headers.append("DPoP", proof) }
        })
    }
  }
}

extension APIUnderTest {
  fileprivate func boundToken() throws -> String {
    try token { [proofKey] in $0.claims["cnf"] = ["jkt": .string(proofKey.thumbprint)] }
  }
}

/// A proof that is about to be made.
private struct ProofPlan {
  var header: [String: JSON]
  var claims: [String: JSON]
  var count = 1
  var isUnsigned = false
  var usesOtherKey = false
  var isSignedByOther = false
  var isReplayed = false

  /// A right proof.
  @HostActor init(_ api: APIUnderTest, _ token: String) throws {
    header = ["typ": "dpop+jwt", "alg": "ES256", "jwk": try Self.members(api.proofKey)]
    claims = [
      "htm": .string(api.settings.method), "htu": .string(WebAddress(api.settings.url).base),
      "iat": .integer(Int64(UnixTime.now.seconds)), "jti": .string(SecureRandom.token()),
      "ath": .string(Base64URL.encode(SHA256.hash(token.utf8))),
    ]
  }

  private static func members(_ key: JWK) throws -> JSON {
    .object((try key.publicKey.json.object ?? [:]).filter { ["kty", "crv", "x", "y"].contains($0.key) })
  }

  @HostActor func all(_ api: APIUnderTest) throws -> [String] { try (0..<count).map { _ in try signed(api) } }

  @HostActor func signed(_ api: APIUnderTest) throws -> String {
    var header = header
    let bytes = Array(JSON.object(claims).encoded().utf8)
    if isUnsigned {
      header["alg"] = "none"
      return "\(Base64URL.encode(JSON.object(header).encoded().utf8)).\(Base64URL.encode(bytes))."
    }
    let other = try JWK.generateEC()
    if usesOtherKey { header["jwk"] = try Self.members(other) }
    return try JWS.sign(bytes, header: .object(header), key: usesOtherKey || isSignedByOther ? other : api.proofKey)
  }
}

extension APICheck {
  /// All checks of an API, by topic.
  package static let all: [APICheck] = signatureChecks + claimChecks + requestChecks + proofChecks
}
