import Conform
import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON

/// DPoP.
extension ProviderCheck {
  private static let topic = Topic(
    "provider.dpop", "DPoP", wrong: .provider,
    means: "A stolen token or a stolen proof is as good as the client's key.",
    change: ["In general": "Check each proof for key, method, address, time and jti, and bind the token to the key."])

  private static let rfc9449 = "RFC 9449, 4.3"
  private static let algorithms = "dpop_signing_alg_values_supported"

  private typealias Change = @Sendable (inout [String: JSON], inout [String: JSON]) -> Void

  private static let wrongProofs: [(name: String, title: String, rule: Rule, change: Change)] = [
    ("method", "A proof for another method is refused", .must("htm is the method of the request", "\(rfc9449) (8)"), { claims, _ in claims["htm"] = "GET" }),
    ("no-method", "A proof without htm is refused", .must("htm is required", "RFC 9449, 4.2"), { claims, _ in claims["htm"] = nil }),
    ("address", "A proof for another address is refused", .must("htu is the address of the request", "\(rfc9449) (9)"), { claims, _ in claims["htu"] = "https://other.example/token" }),
    ("no-address", "A proof without htu is refused", .must("htu is required", "RFC 9449, 4.2"), { claims, _ in claims["htu"] = nil }),
    ("old", "An old proof is refused", .must("iat is within an acceptable window", "\(rfc9449) (11)"), { claims, _ in claims["iat"] = .integer(Int64(UnixTime.now.seconds) - 86_400) }),
    ("future", "A proof of the future is refused", .must("iat is within an acceptable window", "\(rfc9449) (11) and 11.1"), { claims, _ in claims["iat"] = .integer(Int64(UnixTime.now.seconds) + 86_400) }),
    ("no-time", "A proof without iat is refused", .must("iat is required", "RFC 9449, 4.2"), { claims, _ in claims["iat"] = nil }),
    ("no-id", "A proof without jti is refused", .must("jti is required", "RFC 9449, 4.2"), { claims, _ in claims["jti"] = nil }),
    ("type", "A JWT of another type is refused", .must("typ is dpop+jwt", "\(rfc9449) (4)"), { _, header in header["typ"] = "JWT" }),
    ("no-key", "A proof without its key is refused", .must("jwk is required", "\(rfc9449) (3); RFC 9449, 4.2"), { _, header in header["jwk"] = nil }),
  ]

  static let proofs: [ProviderCheck] = wrongProofs.map { wrong in
    ProviderCheck(topic, wrong.name, wrong.title, "sends a proof that is wrong there", wrong.rule, needs: [algorithms]) { trial in
      try await trial.withProof { try $0.proof("POST", $1, wrong.change) }.refused("invalid_dpop_proof", "invalid_request")
    }
  } + otherProofs

  private static let otherProofs: [ProviderCheck] = [
    .init(topic, "right", "A right proof gives a DPoP token", "sends a right proof", .must("token_type is DPoP", "RFC 9449, 5"), needs: [algorithms], peers: ["oidf:fapi2-security-profile-final-happy-flow"]) { trial in
      let answer = try await trial.withProof { try $0.proof("POST", $1) }
      guard answer.isSuccess else { return answer.accepted() }
      let type = answer.string("token_type") ?? "missing"
      return trial.finding(type.lowercased() == "dpop", type, "token_type is \(type)")
    },
    .init(topic, "bound", "The token names the key of the proof", "reads cnf of the access token", .must("cnf has jkt, the thumbprint of the key", "RFC 9449, 6.1"), needs: [algorithms]) { trial in
      let answer = try await trial.withProof { try $0.proof("POST", $1) }.needed("the token request")
      guard let token = try? JWT(decoding: answer.string("access_token") ?? "") else { return .notUsed("the access token is no JWT") }
      let thumbprint = try trial.proofKey().thumbprint
      return trial.finding(token.claims["cnf"]?["jkt"]?.string == thumbprint, "it does", "cnf is \(token.claims["cnf"]?.encoded() ?? "missing")")
    },
    .init(topic, "twice", "A proof works once", "sends the same proof with two codes", .should("jti prevents a second use", "RFC 9449, 11.1"), needs: [algorithms], peers: ["oidf:fapi2-security-profile-final-dpop-negative-tests"]) { trial in
      let proof = try trial.proof("POST", try trial.endpoint("token_endpoint"))
      try await trial.withProof { _, _ in proof }.needed("the first use of the proof")
      return try await trial.withProof { _, _ in proof }.refused("invalid_dpop_proof", "use_dpop_nonce")
    },
    .init(topic, "two", "Two proofs in one request are refused", "sends two DPoP header fields", .must("there is one DPoP header field", "\(rfc9449) (1)"), needs: [algorithms]) { trial in
      let url = try trial.endpoint("token_endpoint")
      let (attempt, code) = try await trial.code()
      var headers = HTTPHeaders()
      headers.append("DPoP", try trial.proof("POST", url))
      headers.append("DPoP", try trial.proof("POST", url))
      return try await trial.redeem(attempt, code, headers).refused("invalid_dpop_proof", "invalid_request")
    },
    .init(topic, "garbage", "A header that is no JWT is refused", "sends DPoP: conform", .must("the value is one well-formed JWT", "\(rfc9449) (2)"), needs: [algorithms]) { trial in
      try await trial.withProof { _, _ in "conform" }.refused("invalid_dpop_proof", "invalid_request")
    },
    .init(topic, "none", "An unsigned proof is refused", "sends a proof with alg none", .must("alg is an asymmetric algorithm, not none", "\(rfc9449) (5)"), needs: [algorithms]) { trial in
      try await trial.withProof { trial, url in
        var parts = try trial.proof("POST", url).split(separator: ".").map(String.init)
        let key = try trial.proofKey().publicKey?.json ?? .null
        let header: JSON = ["alg": "none", "typ": "dpop+jwt", "jwk": key]
        parts[0] = Base64URL.encode(header.encoded().utf8)
        return "\(parts[0]).\(parts[1])."
      }.refused("invalid_dpop_proof", "invalid_request")
    },
    .init(topic, "signature", "A proof with a changed claim is refused", "changes the payload of a proof", .must("the signature is checked by jwk", "\(rfc9449) (6)"), needs: [algorithms]) { trial in
      try await trial.withProof { Trial.tampered(try $0.proof("POST", $1)) }.refused("invalid_dpop_proof", "invalid_request")
    },
    .init(topic, "private", "A proof with a private key is refused", "puts the private key into jwk", .must("jwk has no private key", "\(rfc9449) (7)"), needs: [algorithms]) { trial in
      let secret = try trial.proofKey().reveal()
      return try await trial.withProof { try $0.proof("POST", $1) { _, header in header["jwk"] = secret } }.refused("invalid_dpop_proof", "invalid_request")
    },
    .init(topic, "bearer", "A DPoP token is no bearer token", "sends a DPoP token as Bearer to userinfo", .must("a bound token is not accepted as a bearer token", "RFC 9449, 7.1 and 7.2"), needs: [algorithms, "userinfo_endpoint"], peers: ["oidf:fapi2-security-profile-final-dpop-negative-tests"]) { trial in
      let token = try await trial.boundToken()
      return try await trial.get(try trial.endpoint("userinfo_endpoint"), ["Authorization": "Bearer \(token)"]).refused()
    },
    .init(topic, "resource", "A DPoP token works at userinfo with a proof", "sends token and proof to userinfo", .must("a right proof with ath is accepted", "RFC 9449, 7.1"), needs: [algorithms, "userinfo_endpoint"]) { trial in
      let token = try await trial.boundToken()
      return try await trial.userinfo(bound: token) { _, _ in }.accepted()
    },
    .init(topic, "no-hash", "A proof without ath is refused at userinfo", "leaves ath out", .must("ath is the hash of the access token", "\(rfc9449) (12); RFC 9449, 7.1"), needs: [algorithms, "userinfo_endpoint"]) { trial in
      let token = try await trial.boundToken()
      return try await trial.userinfo(bound: token) { claims, _ in claims["ath"] = nil }.refused()
    },
    .init(topic, "wrong-hash", "A proof for another token is refused at userinfo", "sets another ath", .must("ath is the hash of the access token", "\(rfc9449) (12); RFC 9449, 7.1"), needs: [algorithms, "userinfo_endpoint"]) { trial in
      let token = try await trial.boundToken()
      return try await trial.userinfo(bound: token) { claims, _ in claims["ath"] = "conform" }.refused()
    },
    .init(topic, "other-key", "A proof of another key is refused at userinfo", "signs the proof by a new key", .must("the key is that of the token", "\(rfc9449) (12); RFC 9449, 7.1"), needs: [algorithms, "userinfo_endpoint"]) { trial in
      let token = try await trial.boundToken()
      let other = try PrivateKey.generate(try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: "ES256"))
      return try await trial.userinfo(bound: token, key: other) { _, _ in }.refused()
    },
    .init(topic, "refresh", "A refresh token of a public client is bound to the key", "refreshes with another key", .must("refresh tokens of public clients are bound to the key", "RFC 9449, 5"), needs: [algorithms]) { trial in
      guard try trial.client.method == .none else { return .notUsed("a confidential client") }
      let answer = try await trial.withProof { try $0.proof("POST", $1) }.needed("the token request")
      guard let token = answer.string("refresh_token") else { return .notUsed("no refresh token is issued") }
      let url = try trial.endpoint("token_endpoint")
      let other = try PrivateKey.generate(try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: "ES256"))
      let form: Fields = ["grant_type": "refresh_token", "refresh_token": token]
      return try await trial.post(url, form, as: try trial.client, ["DPoP": try trial.proof("POST", url, key: other)]).refused()
    },
    .init(topic, "thumbprint", "A code is bound to the key of dpop_jkt", "redeems the code with another key", .must("the proof has the key of dpop_jkt", "RFC 9449, 10"), needs: [algorithms]) { trial in
      let (attempt, code) = try await trial.code { $0["dpop_jkt"] = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" }
      let url = try trial.endpoint("token_endpoint")
      return try await trial.redeem(attempt, code, ["DPoP": try trial.proof("POST", url)]).refused()
    },
  ]
}

extension Trial {
  func proofKey() throws -> PrivateKey {
    guard let key = provider.proofKey else { throw EndOfProbe(.unclear("no key could be made")) }
    return key
  }

  /// A proof with changes of its claims and its header.
  func proof(
    _ method: String, _ url: String, key given: PrivateKey? = nil, nonce: String? = nil,
    _ change: (inout [String: JSON], inout [String: JSON]) -> Void = { _, _ in }
  ) throws -> String {
    let key = try given ?? proofKey()
    var claims: [String: JSON] = [
      "htm": .string(method), "htu": .string(WebAddress(url).base), "iat": .integer(Int64(UnixTime.now.seconds)),
      "jti": .string(SecureRandom.token(16)),
    ]
    claims["nonce"] = nonce.map(JSON.string)
    let members = ["kty", "crv", "x", "y", "n", "e"]
    let publicKey = (key.publicKey?.json.object ?? [:]).filter { members.contains($0.key) }
    var header: [String: JSON] = ["typ": "dpop+jwt", "jwk": .object(publicKey)]
    change(&claims, &header)
    return try JWT.sign(.object(claims), header: header, key: key)
  }

  /// Redeems a code with a proof.
  func withProof(_ make: @HostActor (Trial, String) throws -> String) async throws -> Answer {
    let (attempt, code) = try await code()
    return try await redeem(attempt, code, ["DPoP": try make(self, try endpoint("token_endpoint"))])
  }

  /// An access token that is bound to the key of the run.
  func boundToken() async throws -> String {
    let answer = try await withProof { try $0.proof("POST", $1) }.needed("the token request")
    guard answer.string("token_type")?.lowercased() == "dpop", let token = answer.string("access_token") else {
      throw EndOfProbe(.notUsed("the provider binds no tokens"))
    }
    return token
  }

  func userinfo(
    bound token: String, key: PrivateKey? = nil, method: String = "GET", _ change: (inout [String: JSON], inout [String: JSON]) -> Void
  ) async throws -> Answer {
    let url = try endpoint("userinfo_endpoint")
    let proof = try proof(method, url, key: key) { claims, header in
      claims["ath"] = .string(Base64URL.encode(SHA256.hash(token.utf8)))
      change(&claims, &header)
    }
    return try await send(
      HTTPRequest(
        method: method, url: url, headers: ["Authorization": "DPoP \(token)", "DPoP": proof],
        body: method == "POST" ? [] : nil))
  }
}
