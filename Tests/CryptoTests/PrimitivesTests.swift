import Crypto
import Testing

@Suite struct PrimitivesTests {
  @Test(arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("\u{3FF}\u{3FF}", "z7_Pvw")])
  func base64URLIsThatOfTheRFC(_ plain: String, _ encoded: String) {
    #expect(Base64URL.encode(plain.utf8) == encoded)
    #expect(Base64URL.decode(encoded) == Array(plain.utf8))
  }

  @Test(arguments: ["Zg==", "Zm 8", "Zm8\n", "Zh", "Z", "a+b/", "Zm9v=", "\u{E9}"])
  func base64URLRefusesOtherSpellings(_ text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test func hashesAreThoseOfTheStandard() {
    func hex(_ bytes: [UInt8]) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    #expect(
      hex(SHA256.hash(Array("abc".utf8))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(hex(SHA256.hash([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(hex(SHA384.hash(Array("abc".utf8))).hasPrefix("cb00753f45a35e8bb5a03d699ac65007"))
    #expect(hex(SHA512.hash(Array("abc".utf8))).hasPrefix("ddaf35a193617abacc417349ae204131"))
  }

  @Test func aHashOfPiecesIsThatOfTheWhole() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    let hash = StreamedHash()
    for piece in [bytes[..<1], bytes[1..<1], bytes[1..<700], bytes[700...]] { piece.withUnsafeBytes { hash.add($0) } }
    #expect(hash.end() == SHA256.hash(bytes))
    #expect(StreamedHash().end() == SHA256.hash([]))
  }

  @Test func randomBytesDiffer() {
    #expect(SecureRandom.bytes(32).count == 32)
    #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
    #expect(SecureRandom.token(32).utf8.count == 43)
  }

  /// RFC 2202 §3, test case 2.
  @Test func hmacWithSHA1() {
    let digest = HMAC.sha1(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
    #expect(
      digest == [
        0xef, 0xfc, 0xdf, 0x6a, 0xe5, 0xeb, 0x2f, 0xa2, 0xd2, 0x74, 0x16, 0xd5, 0xf1, 0x84, 0xdf, 0x9c, 0x25, 0x9a,
        0x7c, 0x79,
      ])
  }
}
