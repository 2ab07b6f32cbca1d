import Conform
import Core
import Crypto
import HTTPServer
import JOSE
import JSON

/// Lies about signatures, and lies and truths about the keys.
extension ClientCheck {
  static let signatureLies: [ClientCheck] = signatures + headers
  static let keyLies: [ClientCheck] = wrongKeys + keyTruths

  private static let s = Topic.clientSignature
  private static let k = Topic.clientKeys

  /// With a code, the connection to the token endpoint may stand in for the signature: hence no "must".
  private static let signatureRule = Rule.should(
    "A client verifies the signature of an ID token; only TLS to the token endpoint can stand in for it.",
    "OpenID Connect Core 1.0, 3.1.3.7 (6)")
  private static let algorithmRule = Rule.should(
    "alg is RS256, or what the client has registered.", "OpenID Connect Core 1.0, 3.1.3.7 (7)")

  private static let signatures: [ClientCheck] = [
    s.idToken(
      "other-key", "ID token signed with another key", signatureRule,
      peers: ["oidf:oidcc-client-test-invalid-sig-rs256"]
    ) {
      token, _ in token.signature = .other
    },
    s.idToken("removed", "ID token without its signature", signatureRule) { token, _ in token.signature = .removed },
    s.idToken("other-claims", "ID token with the signature of other claims", signatureRule) { token, _ in
      token.signature = .ofOtherClaims
    },
    s.idToken("changed", "ID token with a changed signature", signatureRule) { token, _ in
      token.reverseSignature()
    },
    s.idToken("cut", "ID token without its last part", signatureRule) { token, _ in
      token.dropLastPart()
    },
    s.idToken(
      "none", "ID token with alg none", signatureRule,
      peers: [
        "oidf:oidcc-client-test-idtoken-sig-none", "oidf:fapi2-security-profile-final-client-test-invalid-null-alg",
      ]
    ) { token, _ in
      token.signature = .none("none")
    },
    s.idToken("none-case", "ID token with alg nOnE", signatureRule) { token, _ in token.signature = .none("nOnE") },
    s.idToken("none-signed", "ID token with alg none and a signature", signatureRule) { token, _ in
      token.addSignatureToNone()
    },
    s.idToken(
      "hmac-public-key", "ID token with a MAC by the public key", .must("A public key is not secret.", "RFC 8725, 2.1")
    ) {
      token, place in token.signature = .secret(Array(try place.keys.own.publicPEM().utf8))
    },
    s.idToken(
      "hmac-empty", "ID token with a MAC by an empty secret", .must("A MAC needs a secret.", "RFC 8725, 3.5"),
      peers: ["oidf:oidcc-client-test-invalid-sig-hs256"]
    ) {
      token, _ in token.signature = .secret([])
    },
    s.idToken("hmac-client-id", "ID token with a MAC by the client_id", algorithmRule) { token, _ in
      token.signature = .secret(Array((token.claims["aud"]?.string ?? "").utf8))
    },
  ]

  private static let headers: [ClientCheck] = [
    s.idToken(
      "jwk", "ID token that brings its own key", .must("A client trusts keys of the issuer only.", "RFC 8725, 3.10")
    ) {
      token, place in
      try token.bringKey(place.keys)
    },
    s.idToken(
      "jku", "ID token that names the address of its keys",
      .must("A client trusts keys of the issuer only.", "RFC 8725, 3.10")
    ) {
      token, place in
      token.header["jku"] = .string("\(place.otherOrigin)/keys")
      token.signature = .other
    },
    s.idToken(
      "crit", "ID token with an unknown critical member",
      .must("An unknown member of crit makes a token invalid.", "RFC 7515, 4.1.11")
    ) {
      token, _ in
      token.addCriticalMember()
    },
    s.idToken("kid-path", "ID token whose kid is a path, by another key", signatureRule) { token, _ in
      token.header["kid"] = "../../dev/null"
      token.signature = .other
    },
    s.idToken("alg-missing", "ID token without alg", .must("A header has alg.", "RFC 7515, 4.1.1")) { token, _ in
      token.finish = { text in
        let parts = text.split(separator: ".").map(String.init)
        return "\(Base64URL.encode(#"{"typ":"JWT"}"#.utf8)).\(parts[1]).\(parts[2])"
      }
    },
    s.idToken("alg-unknown", "ID token with an unknown alg", signatureRule) { token, _ in
      token.signature = .none("XS256")
    },
  ]

  private static let wrongKeys: [ClientCheck] = [
    keyLie("other", "JWKS with another key of the same kid") { keys, place in
      var other = try TenantKeys.published(place.keys.other)
      other["kid"] = .string(place.keys.own.keyID ?? "")
      keys = [.object(other)]
    },
    keyLie("none", "JWKS without keys") { keys, _ in keys = [] },
    keyLie("foreign", "JWKS with keys of other kids only") { keys, place in
      keys = [.object(try TenantKeys.published(place.keys.other))]
    },
    keyLie("encryption", "JWKS whose key is for encryption only") { keys, place in
      var own = try TenantKeys.published(place.keys.own)
      own["use"] = "enc"
      own["key_ops"] = ["encrypt"]
      keys = [.object(own)]
    },
    k.lie(
      "error", "JWKS with status 500", signatureRule, isAboutIDToken: true,
      .error(.keys, 500, ["error": "server_error"])),
    k.lie(
      "page", "JWKS that is a web page", signatureRule, isAboutIDToken: true,
      .page(.keys)),
  ]

  private static func keyLie(
    _ name: String, _ title: String, _ edit: @escaping @Sendable (inout [JSON], LiePlace) throws -> Void
  ) -> ClientCheck { k.lie(name, title, signatureRule, isAboutIDToken: true, .keys(edit)) }

  private static let unknownRule = Rule.should(
    "A reader of a JWKS ignores keys that it does not understand.", "RFC 7517, 5")

  private static let keyTruths: [ClientCheck] = [
    keyTruth("unknown-first", "JWKS with a key of an unknown kid first") { keys, place in
      keys.insert(.object(try TenantKeys.published(place.keys.other)), at: 0)
    },
    keyTruth("unknown-type", "JWKS with a key of an unknown type first") { keys, _ in
      keys.insert(["kty": "AKP", "kid": "post-quantum", "alg": "ML-DSA-44", "pub": "AAAA", "use": "sig"], at: 0)
    },
    keyTruth("unknown-curve", "JWKS with a key on an unknown curve first") { keys, _ in
      keys.insert(["kty": "EC", "crv": "P-999", "kid": "other-curve", "x": "AAAA", "y": "AAAA", "use": "sig"], at: 0)
    },
    keyTruth("unknown-use", "JWKS with a key of an unknown use first") { keys, place in
      var other = try TenantKeys.published(place.keys.other)
      other["use"] = "conform"
      keys.insert(.object(other), at: 0)
    },
    keyTruth("elliptic-first", "JWKS with an EC key first") { keys, _ in
      var key = try TenantKeys.published(try JWK.generateEC())
      key["alg"] = "ES256"
      keys.insert(.object(key), at: 0)
    },
    keyTruth("no-alg", "JWKS whose keys have no alg", .must("alg is optional.", "RFC 7517, 4.4")) { keys, _ in
      keys = removing("alg", keys)
    },
    keyTruth("no-use", "JWKS whose keys have no use", .must("use is optional.", "RFC 7517, 4.2")) { keys, _ in
      // Without use, the tenant's key for encryption would look like one for signatures.
      keys = removing("use", Array(keys.prefix(1)))
    },
    keyTruth(
      "extra", "JWKS whose keys have unknown members", .must("Unknown members of a key are ignored.", "RFC 7517, 4")
    ) {
      keys, _ in
      keys = keys.map { key in
        .object((key.object ?? [:]).merging(["issuer": "https://example.com", "conform": [1]]) { $1 })
      }
    },
    keyTruth("many", "JWKS with ten keys, the right one last") { keys, place in
      let other = try TenantKeys.published(place.keys.other)
      let others = (0..<9).map { number in JSON.object(other.merging(["kid": .string("old-\(number)")]) { $1 }) }
      keys = others + keys
    },
    k.truth(
      "type", "JWKS with the type application/jwk-set+json", .must("This is the registered type.", "RFC 7517, 8.5.2"),
      in: .openID,
      .response(.keys) { response, _ in response.replaceType("application/jwk-set+json") }),
    k.truth(
      "rotated", "JWKS that gets the key at the second request",
      .should("A client reads the JWKS again for a kid that it does not know.", "OpenID Connect Core 1.0, 10.1.1"),
      in: .openID,
      peers: ["oidf:oidcc-client-test-signing-key-rotation-just-before-signing"],
      .keys { keys, place in keys = [.object(try TenantKeys.published(place.keys.other))] }.once),
  ]

  private static func keyTruth(
    _ name: String, _ title: String, _ rule: Rule = unknownRule,
    _ edit: @escaping @Sendable (inout [JSON], LiePlace) throws -> Void
  ) -> ClientCheck { k.truth(name, title, rule, in: .openID, .keys(edit)) }

  private static func removing(_ name: String, _ keys: [JSON]) -> [JSON] {
    keys.map { key in .object((key.object ?? [:]).filter { $0.key != name }) }
  }
}

extension JWK {
  /// The public RSA key as PEM (RFC 5280, SubjectPublicKeyInfo).
  func publicPEM() throws -> String {
    func der(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      var length: [UInt8] = []
      var count = bytes.count
      while count > 0 {
        length.insert(UInt8(count & 0xff), at: 0)
        count >>= 8
      }
      return [tag] + (bytes.count < 128 ? [UInt8(bytes.count)] : [0x80 | UInt8(length.count)] + length) + bytes
    }
    func number(_ name: String) throws -> [UInt8] {
      guard let bytes = json[name]?.string.flatMap({ Base64URL.decode($0) }), let first = bytes.first else {
        throw NoLie()
      }
      return der(0x02, (first & 0x80 == 0 ? [] : [0]) + bytes)
    }
    let key = der(0x30, try number("n") + number("e"))
    // rsaEncryption, 1.2.840.113549.1.1.1, with NULL.
    let algorithm = der(0x30, [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00])
    let encoded = Base64URL.encode(der(0x30, algorithm + der(0x03, [0] + key)))
    let text =
      encoded.replacing("-", with: "+").replacing("_", with: "/")
      + String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4)
    var lines: [Substring] = []
    var rest = text[...]
    while !rest.isEmpty {
      lines.append(rest.prefix(64))
      rest = rest.dropFirst(64)
    }
    return "-----BEGIN PUBLIC KEY-----\n\(lines.joined(separator: "\n"))\n-----END PUBLIC KEY-----\n"
  }
}
