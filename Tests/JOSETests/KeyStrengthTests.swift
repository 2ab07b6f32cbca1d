import Core
import Crypto
import JOSE
import JSON
import Testing

/// Keys for which anybody can make signatures are refused where they are read.
@Suite struct KeyStrengthTests {
  private static let rsa = try? JWK.generateRSA(keyID: "rsa-1").publicKey.json.object
  private static let ec = try? JWK.generateEC(keyID: "ec-1").publicKey.json.object

  private func message(_ members: [String: JSON]?, _ changes: [String: JSON]) throws -> String? {
    let key = JSON.object(try #require(members).merging(changes) { $1 })
    do throws(JOSEError) {
      _ = try JWK(key)
      return nil
    } catch {
      #expect(error.kind == .invalidKey)
      return error.message
    }
  }

  private static func number(_ bytes: [UInt8]) -> JSON { .string(Base64URL.encode(bytes)) }

  /// With an exponent of 1 a signature is the padded hash itself.
  @Test(
    arguments: [
      (["e": number([1])], "the RSA key's exponent (e) is 1, which makes no signature; it must be odd and at least 3"),
      (
        ["e": number([0, 0, 1])],
        "the RSA key's exponent (e) is 1, which makes no signature; it must be odd and at least 3"
      ),
      (
        ["e": number([1, 0])],
        "the RSA key's exponent (e) is even, which makes no signature; it must be odd and at least 3"
      ),
      (
        ["e": number([0])],
        "the RSA key's exponent (e) is even, which makes no signature; it must be odd and at least 3"
      ),
      (["e": number([3])], nil), (["e": number([0, 1, 0, 1])], nil),
      (
        ["e": number([UInt8](repeating: 255, count: 257))], "the RSA key's exponent (e) is not below its modulus (n)"
      ),
      (
        ["e": number([UInt8](repeating: 255, count: 256))], "the RSA key's exponent (e) is not below its modulus (n)"
      ),
      (["n": number([0xC1] + [UInt8](repeating: 7, count: 63))], "the RSA key has 512 bits; at least 2048 are needed"),
      (
        ["n": number([0x7F] + [UInt8](repeating: 7, count: 255))], "the RSA key has 2047 bits; at least 2048 are needed"
      ),
      (
        ["n": number([0, 0, 0x7F] + [UInt8](repeating: 7, count: 255))],
        "the RSA key has 2047 bits; at least 2048 are needed"
      ),
      (
        ["n": number([0xC1] + [UInt8](repeating: 7, count: 4095))],
        "the RSA key has 32768 bits; at most 16384 are supported"
      ),
      (
        ["n": number([0xC1] + [UInt8](repeating: 8, count: 255))],
        "the RSA key's modulus (n) is even, so it is not a modulus"
      ),
      (["n": "A+B="], "the RSA key's member \"n\" is not base64url"),
      (["e": "A+B="], "the RSA key's member \"e\" is not base64url"),
    ] as [([String: JSON], String?)])
  func anRSAKey(_ changes: [String: JSON], _ message: String?) throws {
    #expect(try self.message(Self.rsa, changes) == message)
  }

  @Test(
    arguments: [
      ([:], nil),
      (["x": number([UInt8](repeating: 5, count: 32))], "the EC key's point (x, y) is not on the curve P-256"),
      (
        ["x": number([UInt8](repeating: 0, count: 32)), "y": number([UInt8](repeating: 0, count: 32))],
        "the EC key's point (x, y) is not on the curve P-256"
      ),
      (["x": number([5])], "the EC key's x and y have 1 and 32 bytes; on P-256 both have 32"),
      (["crv": "P-384"], "the EC key's x and y have 32 and 32 bytes; on P-384 both have 48"),
      (["crv": "secp256k1"], "the EC key is on the curve \"secp256k1\"; P-256, P-384, P-521 are supported"),
      (["y": "A+B="], "the EC key's member \"y\" is not base64url"),
    ] as [([String: JSON], String?)])
  func aKeyOnACurve(_ changes: [String: JSON], _ message: String?) throws {
    #expect(try self.message(Self.ec, changes) == message)
  }

  @Test(arguments: ["P-256", "P-384", "P-521"]) func everyCurveThereIs(curve: String) throws {
    let key = try JWK.generateEC(curve: curve)
    #expect(try JWK(key.json).json == key.json)
  }

  @Test func aSymmetricKey() throws {
    #expect(try message(["kty": "oct", "k": "A+B="], [:]) == "the oct key's member \"k\" is not base64url")
    #expect(try message(["kty": "oct", "k": "AQAB"], [:]) == nil)
  }

  /// One bad key in a set does not cost the others; the set remembers why it is not there.
  @Test func aSetWithoutIt() throws {
    let good = JSON.object(try #require(Self.rsa))
    let bad = JSON.object(try #require(Self.rsa).merging(["kid": "bad", "e": "AQ"]) { $1 })
    let set = try JWKSet(["keys": [bad, good, ["kty": "OKP", "kid": "new"]]])
    #expect(set.keys.map(\.keyID) == ["rsa-1"])
    #expect(set.refused["bad"]?.message.hasPrefix("the RSA key's exponent (e) is 1") == true)
    let token = try JWS.sign([1], header: ["alg": "HS256"], key: .symmetric([UInt8](repeating: 7, count: 32)))
    #expect(throws: JOSEError.self) { try JWS.verify(token, key: set.keys[0], algorithms: ["HS256", "RS256"]) }
  }
}
