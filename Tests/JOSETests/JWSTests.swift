import Core
import Crypto
import JOSE
import JSON
import Testing

@Suite struct JWSTests {
  static let rsa = try? JWK.generateRSA(keyID: "rsa-1")
  static let otherRSA = try? JWK.generateRSA(keyID: "rsa-2")
  let payload = Array("{\"sub\":\"alice\"}".utf8)

  @Test(arguments: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])
  func whatAnRSAKeySignsItsPublicHalfVerifies(_ algorithm: String) throws {
    let key = try #require(Self.rsa)
    let token = try JWS.sign(payload, header: ["alg": .string(algorithm), "kid": "rsa-1"], key: key)
    #expect(try JWS.verify(token, key: key.publicKey, algorithms: [algorithm]) == payload)
    #expect(try JWT(decoding: token).claims["sub"] == "alice")
    #expect(try JWT(decoding: token).header["kid"] == "rsa-1")
  }

  @Test(arguments: [("ES256", "P-256"), ("ES384", "P-384"), ("ES512", "P-521")])
  func ellipticCurveSignaturesVerify(_ algorithm: String, _ curve: String) throws {
    let key = try JWK.generateEC(curve: curve)
    let token = try JWS.sign(payload, header: ["alg": .string(algorithm)], key: key)
    #expect(try JWS.verify(token, key: key.publicKey, algorithms: [algorithm]) == payload)
    let other = try JWK.generateEC(curve: curve).publicKey
    #expect { try JWS.verify(token, key: other, algorithms: [algorithm]) } throws: {
      ($0 as? JOSEError)?.kind == .signatureMismatch
    }
  }

  @Test func aCurveServesOneAlgorithm() throws {
    let key = try JWK.generateEC(curve: "P-384")
    #expect { try JWS.sign(payload, header: ["alg": "ES256"], key: key) } throws: {
      ($0 as? JOSEError)?.message == "the algorithm ES256 needs a key on the curve P-256, not on P-384"
    }
  }

  @Test func aSignatureOfAnotherKeyIsRefused() throws {
    let token = try JWS.sign(payload, header: ["alg": "RS256"], key: #require(Self.otherRSA))
    let key = try #require(Self.rsa).publicKey
    #expect { try JWS.verify(token, key: key, algorithms: ["RS256"]) } throws: {
      let error = $0 as? JOSEError
      return error?.kind == .signatureMismatch
        && error?.message == "the token's signature was not made by the key \"rsa-1\""
    }
  }

  @Test func changedTextIsRefused() throws {
    let key = try #require(Self.rsa)
    let parts = try JWS.sign(payload, header: ["alg": "RS256"], key: key).split(separator: ".").map(String.init)
    let forged = Base64URL.encode(Array("{\"sub\":\"bob\"}".utf8))
    let spoiled = "A" + parts[2].dropFirst() == parts[2] ? "B" + parts[2].dropFirst() : "A" + parts[2].dropFirst()
    for token in [
      "\(parts[0]).\(forged).\(parts[2])", "\(parts[0]).\(parts[1]).\(spoiled)", "\(parts[0]).\(parts[1]).",
    ] {
      #expect { try JWS.verify(token, key: key, algorithms: ["RS256"]) } throws: {
        ($0 as? JOSEError)?.kind == .signatureMismatch
      }
    }
  }

  @Test func noneIsNeverAccepted() throws {
    let key = try #require(Self.rsa)
    for name in ["none", "None", "NONE"] {
      let token =
        Base64URL.encode(JSON.object(["alg": .string(name)]).encoded().utf8) + "." + Base64URL.encode(payload) + "."
      #expect { try JWS.verify(token, key: key, algorithms: ["RS256"]) } throws: {
        ($0 as? JOSEError)?.message == "the token is signed by the algorithm \"\(name)\"; allowed: RS256"
      }
      #expect(throws: JOSEError.self) { try JWS.verify(token, key: key, algorithms: [name]) }
    }
  }

  @Test func aPublicKeyIsNoHMACSecret() throws {
    let publicKey = try #require(Self.rsa).publicKey
    let secret = try JWK.symmetric(Array(publicKey.json.encoded().utf8))
    let token = try JWS.sign(payload, header: ["alg": "HS256"], key: secret)
    #expect { try JWS.verify(token, key: publicKey, algorithms: ["RS256"]) } throws: {
      ($0 as? JOSEError)?.kind == .algorithmNotAllowed
    }
    #expect { try JWS.verify(token, key: publicKey, algorithms: ["RS256", "HS256"]) } throws: {
      ($0 as? JOSEError)?.message == "the algorithm HS256 needs a key of type oct, not of type RSA"
    }
    #expect(try JWS.verify(token, key: secret, algorithms: ["HS256"]) == payload)
  }

  @Test func aKeyMadeForOneAlgorithmServesNoOther() throws {
    let key = try #require(Self.rsa)
    var members = try #require(key.publicKey.json.object)
    members["alg"] = "RS256"
    let token = try JWS.sign(payload, header: ["alg": "RS512"], key: key)
    #expect { try JWS.verify(token, key: JWK(.object(members)), algorithms: ["RS256", "RS512"]) } throws: {
      ($0 as? JOSEError)?.message == "the key is meant for the algorithm RS256, not for RS512"
    }
  }

  @Test func criticalExtensionsAreRefused() throws {
    let key = try #require(Self.rsa)
    let token = try JWS.sign(payload, header: ["alg": "RS256", "crit": ["b64"], "b64": false], key: key)
    #expect(throws: JOSEError.self) { try JWS.verify(token, key: key, algorithms: ["RS256"]) }
  }

  @Test(arguments: [
    ("", "the token is not in compact form: it has 1 parts between dots instead of 3"),
    ("a.b", "the token is not in compact form: it has 2 parts between dots instead of 3"),
    ("e30=.e30.x", "the token's header is not base64url"),
    ("e30.W10.", "the token's payload is not a JSON object"),
    ("e30.e30.&", "the token's signature is not base64url"),
    ("eA.e30.", "the token's header is not JSON: invalid token near 'x'"),
    (String(repeating: "a", count: 300 << 10), "the token is longer than 256 KiB: 300 KiB"),
  ])
  func whatIsNoTokenIsSaidToBeNone(_ text: String, _ message: String) {
    #expect { try JWT(decoding: text) } throws: { ($0 as? JOSEError)?.message == message }
  }

  /// The example of RFC 7515, A.2.
  @Test func anRFCExampleVerifies() throws {
    let key = try JWK([
      "kty": "RSA", "e": "AQAB",
      "n": """
      ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgN\
      MsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xs\
      mtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ
      """,
    ])
    let token = """
      eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
      .cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1d\
      nZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC\
      -eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
      """
    #expect(try String(decoding: JWS.verify(token, key: key, algorithms: ["RS256"]), as: UTF8.self).contains("\"joe\""))
  }

  @Test func severalThreadsSignAndVerifyAtOnce() async throws {
    let key = try #require(Self.rsa)
    let publicKey = try key.publicKey
    let payload = payload
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<5 {
            let text = payload + Array("\(number)-\(round)".utf8)
            let token = try JWS.sign(text, header: ["alg": "RS256"], key: key)
            #expect(try JWS.verify(token, key: publicKey, algorithms: ["RS256"]) == text)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
