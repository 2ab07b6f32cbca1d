import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

@HostActor @Suite struct SigningAlgorithmTests {
  @Test(arguments: SigningAlgorithm.allCases)
  func tokensAreSignedAsTheMetadataSays(algorithm: SigningAlgorithm) async throws {
    let tenant = try LocalTenant()
    let browser = Browser(tenant)
    let old = try await browser.tokens()["access_token"]?.string ?? ""
    try tenant.setSigningAlgorithm(algorithm)
    let document = try await browser.metadata()
    // RS256 is always listed (OpenID Connect Discovery §3).
    #expect(
      Set(document["id_token_signing_alg_values_supported"]?.array ?? []) == ["RS256", .string(algorithm.rawValue)])
    try await browser.authorize()
    let body = try await browser.redeem(code: browser.redirected["code"] ?? "").body
    let keys = try JWKSet(JSON(parsing: try await browser.get(document["jwks_uri"]?.string ?? "").body)).keys
    let access = body["access_token"]?.string ?? ""
    let id = body["id_token"]?.string ?? ""
    for token in [access, id] {
      let header = try JWT(decoding: token).header
      #expect(header["alg"]?.string == algorithm.rawValue)
      let key = try #require(keys.first { $0.keyID == header["kid"]?.string })
      #expect(key.algorithm == algorithm.rawValue)
      #expect(key.json["d"] == nil)
      _ = try JWS.verify(token, key: key, algorithms: [algorithm.rawValue])
    }
    let hash: [UInt8] =
      switch algorithm {
      case .rs256, .ps256, .es256: Array(SHA256.hash(access.utf8).prefix(16))
      case .rs384: Array(SHA384.hash(access.utf8).prefix(24))
      case .rs512: Array(SHA512.hash(access.utf8).prefix(32))
      }
    #expect(try JWT(decoding: id).claims["at_hash"]?.string == Base64URL.encode(hash))
    // Tokens of the previous key are valid until they expire, and a rotation keeps the algorithm.
    for token in [old, access] { #expect(try await browser.tasks(token).status == 200) }
    try tenant.rotateKeys()
    #expect(try await browser.metadata() == document)
    #expect(try await browser.tasks(access).status == 200)
  }
}
