import JOSE
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
}
