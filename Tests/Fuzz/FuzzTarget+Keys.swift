import Core
import Crypto
import JOSE
import JSON

extension FuzzTarget {
  private static let rsa = #"{"kty":"RSA","kid":"r","e":"AQAB","n":"\#(String(repeating: "uz", count: 170))ww"}"#
  private static let ec =
    #"{"kty":"EC","crv":"P-256","kid":"e","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x0"#
    + #"_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#

  private static let octets = Array("0123456789abcdef0123456789abcdef".utf8)
  private static let secret = try? PrivateKey(jwk: ["kty": "oct", "k": .string(Base64URL.encode(octets))])
  private static let verifiers = [
    try? JWK.symmetric(octets, keyID: "k"), try? JWK(JSON(parsing: rsa)), try? JWK(JSON(parsing: ec)),
  ].compactMap { $0 }

  /// JWT, JWS and JWE in compact form.
  static let tokens = FuzzTarget("tokens") { input in
    let text = input.text
    _ = try? JWT(decoding: text)
    if let bytes = Base64URL.decode(text) { precondition(Base64URL.encode(bytes) == text, "Base64URL is not exact") }
    var expected = JWT.Expectation(now: 1_800_000_000)
    expected.issuer = "https://issuer.example"
    expected.audience = "client"
    expected.maximumAge = 300
    _ = try? JWT.verify(text, keys: verifiers, expected: expected)
    if let key = verifiers.first { _ = try? JWE.open(text, key: key) }
    if let secret { _ = try JWE.decrypt(text, key: secret) }
  }

  /// JSON Web Keys and sets of them.
  static let keys = FuzzTarget("keys") { input in
    let json = try JSON(parsing: input.bytes)
    let key = try? JWK(json)
    _ = try? key?.publicKey.json
    _ = try? PrivateKey(jwk: json).publicHalf()
    _ = try JWKSet(json).published()
  }

  private static let labels = [
    "CERTIFICATE", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "PUBLIC KEY",
  ]

  /// Keys and certificates in PEM. The first line is a passphrase. The byte behind it selects a label for the DER that
  /// follows, because changed Base64 is seldom correct; another byte begins PEM.
  static let pem = FuzzTarget("pem") { input in
    var input = input
    let passphrase = input.part().text
    var bytes = input.bytes
    if let label = bytes.first, label < labels.count {
      let name = labels[Int(label)]
      var base64 = ""
      for group in stride(from: 1, to: bytes.count, by: 48) {
        let line = Base64URL.encode(Array(bytes[group..<min(group + 48, bytes.count)]))
        base64 += line + String(repeating: "=", count: (4 - line.count % 4) % 4) + "\n"
      }
      base64 = base64.replacing("-", with: "+").replacing("_", with: "/")
      bytes = Array("-----BEGIN \(name)-----\n\(base64)-----END \(name)-----\n".utf8)
    }
    let key = try? PrivateKey(pem: bytes, passphrase: passphrase.isEmpty ? nil : Secret(given: passphrase))
    _ = try? JWK(pem: bytes)
    let certificate = try Certificate(pem: bytes)
    _ = certificate.thumbprint
    try certificate.checkValidity()
    if let key { try certificate.check(belongsTo: key) }
  }
}
