import Core
import JOSE
import JSON
import Testing

@Suite struct JWKTests {
  /// The example of RFC 7638, 3.1.
  @Test func theThumbprintIsThatOfTheRFC() throws {
    let key = try JWK([
      "kty": "RSA", "alg": "RS256", "kid": "2011-04-29", "e": "AQAB",
      "n": """
      0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhM\
      stn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5\
      hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
      """,
    ])
    #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
  }

  @Test func thePublicHalfHasNoPrivateMember() throws {
    let key = try JWK.generateRSA()
    let members = try #require(key.publicKey.json.object)
    #expect(members.keys.filter { ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].contains($0) }.isEmpty)
    #expect(key.keyID == key.thumbprint)
    #expect(try key.publicKey.keyID == key.keyID)
    #expect { try JWK.generateSymmetric().publicKey } throws: {
      ($0 as? JOSEError)?.message == "a symmetric key has no public half"
    }
  }

  @Test func aSetIsPublishedWithoutPrivateMembersAndReadWithoutUnknownTypes() throws {
    let key = try JWK.generateRSA(keyID: "now")
    let published = try JWKSet([key]).published()
    #expect(published["keys"]?.array?.first?["d"] == nil)
    #expect(try JWKSet(published).keys.map(\.keyID) == ["now"])
    #expect(try JWKSet(published).keys.allSatisfy(\.isForSignatures))
    let mixed: JSON = ["keys": .array([["kty": "OKP", "kid": "new"], try key.publicKey.json])]
    #expect(try JWKSet(mixed).keys.count == 1)
  }

  @Test(
    arguments: [
      ([:], true), (["use": "sig"], true), (["use": "enc"], false), (["key_ops": ["verify"]], true),
      (["key_ops": ["sign", "verify"]], true), (["key_ops": ["encrypt"]], false),
    ] as [([String: JSON], Bool)])
  func whatAKeyIsForIsSaid(_ members: [String: JSON], _ isForSignatures: Bool) throws {
    let json = JSON.object(members.merging(["kty": "oct", "k": "AQAB"]) { $1 })
    #expect(try JWK(json).isForSignatures == isForSignatures)
  }

  @Test(arguments: [
    (JSON.object([:]), "a JSON Web Key needs the member \"kty\", a string"),
    (.object(["kty": "AKP"]), "a JSON Web Key of type \"AKP\" is not supported; RSA, EC, OKP and oct are"),
    (.object(["kty": "RSA", "n": "AQAB"]), "a JSON Web Key of type RSA needs the member \"e\", a string"),
  ])
  func whatIsNoKeyIsSaidToBeNone(_ json: JSON, _ message: String) {
    #expect { try JWK(json) } throws: { ($0 as? JOSEError)?.message == message }
  }
}
