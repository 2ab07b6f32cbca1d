import Core
import Crypto
import JOSE
import JSON
import Testing

@Suite struct JWETests {
  @Test(arguments: [1, 16, 5000])
  func whatIsSealedOpens(_ size: Int) throws {
    let key = try JWK.generateSymmetric(bits: 256)
    let plain = SecureRandom.bytes(size)
    let sealed = try JWE.seal(plain, key: key)
    #expect(try JWE.open(sealed, key: key) == plain)
    #expect(try JWE.seal(plain, key: key) != sealed)
  }

  @Test func anotherKeyDoesNotOpen() throws {
    let sealed = try JWE.seal([1, 2, 3], key: .generateSymmetric())
    #expect { try JWE.open(sealed, key: .generateSymmetric()) } throws: { ($0 as? JOSEError)?.kind == .notDecrypted }
  }

  @Test func changedTextDoesNotOpen() throws {
    let key = try JWK.generateSymmetric()
    var parts = try JWE.seal(Array("secret".utf8), key: key)
      .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    parts[3] = Base64URL.encode([9, 9, 9, 9, 9, 9])
    #expect { try JWE.open(parts.joined(separator: "."), key: key) } throws: {
      ($0 as? JOSEError)?.kind == .notDecrypted
    }
  }

  @Test func nothingIsNotSealed() {
    #expect { try JWE.seal([], key: .generateSymmetric()) } throws: {
      ($0 as? JOSEError)?.message == "there is nothing to encrypt: the text is empty"
    }
  }

  @Test func keysOfAnotherSizeAreRefused() throws {
    #expect { try JWE.seal([1], key: .generateSymmetric(bits: 128)) } throws: {
      ($0 as? JOSEError)?.message == "A256GCM needs a symmetric key of 256 bits"
    }
  }

  @Test(arguments: StandardExample.encryptions)
  func theExamplesOfTheStandardOpen(_ example: StandardExample) throws {
    let key = try PrivateKey(jwk: JSON(parsing: Array(example.key.utf8)))
    #expect(try String(decoding: JWE.decrypt(example.token, key: key).plain, as: UTF8.self) == StandardExample.plain)
  }

  @Test(arguments: ["RSA-OAEP", "RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW", "dir"])
  func everyWayComesBack(_ algorithm: String) throws {
    let contents = ["A128GCM": 128, "A256GCM": 256, "A128CBC-HS256": 256, "A256CBC-HS512": 512]
    for (content, bits) in contents {
      let kind: PrivateKey.Kind =
        switch algorithm {
        case "dir": .symmetric(bits: bits)
        case _ where algorithm.hasPrefix("RSA"): .rsa(bits: 2048)
        default: .ec(curve: "P-256")
        }
      let key = try PrivateKey.generate(kind)
      let header: JSON = ["alg": .string(algorithm), "enc": .string(content), "kid": "k"]
      let sealed = try JWE.encrypt(Array("hello".utf8), header: header, key: key.publicKey ?? JWK(key.reveal()))
      let opened = try JWE.decrypt(sealed, key: key)
      #expect(opened.plain == Array("hello".utf8))
      #expect(opened.header["enc"]?.string == content)
      #expect(opened.header["kid"] == "k")
      let other = try PrivateKey.generate(kind)
      #expect { try JWE.decrypt(sealed, key: other) } throws: { ($0 as? JOSEError)?.kind == .notDecrypted }
    }
  }

  @Test(
    arguments: [
      (
        ["alg": "RSA1_5"],
        "the encryption algorithm \"RSA1_5\" (alg) is not supported; "
          + "ECDH-ES, ECDH-ES+A128KW, ECDH-ES+A256KW, RSA-OAEP, RSA-OAEP-256, dir are"
      ),
      (
        ["enc": "A192GCM"],
        "the encryption algorithm \"A192GCM\" (enc) is not supported; "
          + "A128CBC-HS256, A128GCM, A256CBC-HS512, A256GCM are"
      ),
      (["zip": "DEF"], "the encrypted text is compressed (zip), which is not supported"),
      (["alg": "RSA-OAEP"], "the algorithm RSA-OAEP needs a key of type RSA, not of type EC"),
    ] as [([String: JSON], String)])
  func otherWaysAreRefused(_ header: [String: JSON], _ message: String) throws {
    let key = try PrivateKey.generate(.ec(curve: "P-256")).publicHalf()
    #expect { try JWE.encrypt([1], header: .object(header), key: key) } throws: {
      ($0 as? JOSEError)?.message == message
    }
  }

  @Test func aKeyForSignaturesDoesNotEncrypt() throws {
    let key = try JWK.generateEC()
    #expect { try JWE.encrypt([1], header: [:], key: key.publicKey) } throws: {
      ($0 as? JOSEError)?.message == "the key is meant for signatures (use is \"sig\"), not for encryption"
    }
  }
}
