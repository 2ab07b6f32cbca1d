import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import OAuth
import Testing

/// Proofs of many requests alike, most of which another thread makes (RFC 9449, 4.2).
@HostActor @Suite struct ProofSupplyTests {
  private let key: ProofKey
  private let prover: Prover

  init() throws {
    key = try .generate()
    prover = Prover(key, ProofNonces())
  }

  /// The claims of a proof, after the check of its signature.
  private func claims(_ url: String, _ token: Secret?) throws -> JSON {
    let proof = try prover.field("POST", url, token: token).value
    _ = try JWS.verify(proof, key: key.key.publicHalf(), algorithms: ["ES256"])
    let jwt = try JWT(decoding: proof)
    #expect(jwt.header["typ"] == "dpop+jwt")
    #expect(jwt.header["jwk"]?["d"] == nil && jwt.header["jwk"]?["x"] != nil)
    return jwt.claims
  }

  @Test func eachProofIsUsedOnce() throws {
    var seen: Set<String> = []
    for _ in 0..<500 {
      let claims = try claims("https://api.example/tasks?page=1", Secret("token-1"))
      #expect(claims["htm"] == "POST" && claims["htu"] == "https://api.example/tasks")
      let isNew = seen.insert(claims["jti"]?.string ?? "").inserted
      #expect(isNew)
    }
  }

  @Test func aProofIsForItsOwnRequest() throws {
    for round in 0..<4 {
      let (url, token) = ("https://api.example/\(round % 2)", Secret("token-\(round / 2)"))
      for _ in 0..<60 {
        let claims = try claims(url, token)
        #expect(claims["htu"]?.string == url)
        #expect(claims["ath"]?.string == Base64URL.encode(SHA256.hash("token-\(round / 2)".utf8)))
      }
    }
    #expect(try claims("https://api.example/0", nil)["ath"] == nil)
  }
}
