import Core
import Crypto
import JOSE
import JSON
import Testing

@Suite struct PrivateKeyTests {
  private func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

  private func error(_ body: () throws -> Any) -> JOSEError? {
    do { _ = try body() } catch { return error as? JOSEError }
    return nil
  }

  @Test(arguments: StandardExample.signatures)
  func theExamplesOfTheStandardsVerifyAndAreRepeated(_ example: StandardExample) throws {
    let key = try PrivateKey(jwk: json(example.key))
    let parts = example.token.split(separator: ".").map(String.init)
    let header = try JSON(parsing: #require(Base64URL.decode(parts[0])))
    let algorithm = try #require(header["alg"]?.string)
    #expect(key.algorithms.map(\.rawValue).contains(algorithm))
    let payload = try #require(Base64URL.decode(parts[1]))
    let verifying = try key.publicKey ?? JWK(key.reveal())
    #expect(try JWS.verify(example.token, key: verifying, algorithms: [algorithm]) == payload)
    let signed = try JWS.sign(payload, header: header, key: key)
    if example.isRepeatable { #expect(signed == example.token) }
    #expect(try JWS.verify(signed, key: verifying, algorithms: [algorithm]) == payload)
  }

  @Test(arguments: [
    (PrivateKey.Kind.ec(curve: "P-256"), "EC P-256", "ES256"), (.ec(curve: "P-384"), "EC P-384", "ES384"),
    (.ec(curve: "P-521"), "EC P-521", "ES512"), (.rsa(bits: 2048), "RSA 2048", "RS256"),
    (.ed25519, "OKP Ed25519", "EdDSA"), (.symmetric(bits: 256), "oct 256", "HS256"),
  ])
  func aNewKeySignsAndComesBack(_ kind: PrivateKey.Kind, _ name: String, _ algorithm: String) throws {
    let key = try PrivateKey.generate(kind)
    #expect(key.kind == name)
    let again = try PrivateKey(jwk: key.reveal())
    let verifying = try again.publicKey ?? JWK(again.reveal())
    for signer in [key, again] {
      let token = try JWT.sign(["sub": "alice"], key: signer)
      #expect(try JWT(decoding: token).header["alg"]?.string == algorithm)
      #expect(try JWT(decoding: token).header["kid"]?.string == key.keyID)
      #expect(throws: Never.self) { try JWS.verify(token, key: verifying, algorithms: [algorithm]) }
    }
    #expect(try again.thumbprint == key.thumbprint)
  }

  @Test func aKeyDoesNotPrintItself() throws {
    let key = try PrivateKey(jwk: json(StandardExample.signatures[1].key))
    let thumbprint = try key.thumbprint
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] {
      #expect(text.contains("private key (EC P-256, \(thumbprint))"))
      #expect(!text.contains("jpsQnnGQmL"))
    }
    #expect("\(try PrivateKey.generate(.symmetric(bits: 256)))" == "private key (oct 256)")
  }

  @Test(arguments: [Written.rsaPKCS1, Written.rsaPKCS8])
  func rsaKeysOfOpenSSLAreTheSame(_ pem: String) throws {
    let key = try PrivateKey(pem: Array(pem.utf8))
    #expect(try key.publicHalf().json == JWK(pem: Array(Written.rsaPublic.utf8)).json)
    #expect(key.algorithms.map(\.rawValue) == ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])
  }

  @Test(arguments: [Written.ecSEC1, Written.ecEncrypted, Written.ecEncryptedOldStyle])
  func ecKeysOfOpenSSLBelongToTheCertificate(_ pem: String) throws {
    let key = try PrivateKey(pem: Array(pem.utf8), passphrase: Secret(given: Written.passphrase))
    let certificate = try Certificate(pem: Array(Written.certificate.utf8))
    try certificate.check(belongsTo: key)
    // openssl x509 -outform der | sha256sum
    let digest = try #require(Base64URL.decode(certificate.thumbprint))
    #expect(digest.hexadecimal == "9b256d9480ddf6918dd658e18fd64ca33d1403cd19f7866aab508e639484a151")
    #expect(certificate.notBefore.iso == "2026-11-23T03:45:46Z")
    #expect(certificate.notAfter.iso == "2026-12-23T03:45:46Z")
    #expect(try certificate.publicKey.thumbprint == key.thumbprint)
  }

  @Test func aFileMayHaveTheCertificateInFrontOfTheKey() throws {
    let both = Array((Written.certificate + "\n" + Written.ecSEC1).utf8)
    try Certificate(pem: both).check(belongsTo: PrivateKey(pem: both))
  }

  @Test(
    arguments: [
      (Written.rsaPublic, "the key in a.pem is a public key; a private key is needed"),
      (Written.certificate, "the key in a.pem is a certificate; a private key is needed"),
      (
        "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
        "the key in a.pem has the form of OpenSSH, which is not supported"
      ),
      (Written.ecEncrypted, "the key in a.pem is encrypted, and there is no passphrase"),
      (Written.ecEncryptedOldStyle, "the key in a.pem is encrypted, and there is no passphrase"),
      ("hello", "the key in a.pem is no PEM text: no line begins with \"-----BEGIN\""),
      (
        "-----BEGIN DH PARAMETERS-----\n-----END DH PARAMETERS-----",
        "the key in a.pem has no private key: its first part is \"DH PARAMETERS\""
      ),
      (
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
        "the key in a.pem is damaged: the text between \"BEGIN PRIVATE KEY\" and \"END PRIVATE KEY\" is not a key"
      ),
      (
        Written.otherCurve, "the key in a.pem is of the type EC on the curve secp256k1, which is not supported"
      ),
      (Written.smallRSA, "the key in a.pem: the RSA key has 1024 bits; at least 2048 are needed"),
    ])
  func whatIsNoPrivateKeyIsNamed(_ pem: String, _ message: String) {
    let found = error { try PrivateKey(pem: Array(pem.utf8), at: "the key in a.pem") }
    #expect(found?.message == message)
    #expect(found?.kind == .invalidKey)
  }

  @Test func aWrongPassphraseIsNamed() {
    let found = error {
      try PrivateKey(pem: Array(Written.ecEncrypted.utf8), passphrase: Secret(given: "guess"), at: "the key in a.pem")
    }
    #expect(found?.message == "the key in a.pem cannot be decrypted with the passphrase")
    #expect(found?.hint == "check the passphrase of this key")
  }

  @Test func aPublicWebKeyIsNoPrivateOne() throws {
    let key = try PrivateKey.generate(.ec(curve: "P-256"))
    #expect(
      error { try PrivateKey(jwk: key.publicHalf().json) }?.message
        == "the JSON Web Key is a public key: it has no member \"d\"")
  }

  @Test(arguments: [PrivateKey.Kind.ec(curve: "P-256"), .ed25519, .rsa(bits: 2048)])
  func aPrivatePartOfAnotherKeyIsRefused(_ kind: PrivateKey.Kind) throws {
    var members = try #require(PrivateKey.generate(kind).reveal().object)
    members.merge(try #require(PrivateKey.generate(kind).publicHalf().json.object)) { $1 }
    #expect(
      error { try PrivateKey(jwk: .object(members)) }?.message
        == "the JSON Web Key is damaged: its private members do not belong to its public members")
  }

  @Test func aKeySaysWhatItCanSign() throws {
    let key = try PrivateKey(pem: Array(Written.ecSEC1.utf8), at: "the key in a.pem")
    let wrong = error { try JWT.sign([:], header: ["alg": "RS256"], key: key) }
    #expect(wrong?.message == "the key in a.pem: the algorithm RS256 needs a key of type RSA, not of type EC")
    #expect(wrong?.hint == "this key can sign with ES256")
    let secret = try PrivateKey.generate(.symmetric(bits: 256))
    #expect(
      error { try JWT.sign([:], header: ["alg": "HS512"], key: secret) }?.message
        == "the new key: the algorithm HS512 needs a key of at least 512 bits; this one has 256")
    #expect(
      error { try JWT.sign([:], header: ["alg": "none"], key: secret) }?.message
        == "the signature algorithm \"none\" is not supported")
    #expect(
      error { try JWT.sign([:], key: PrivateKey.generate(.symmetric(bits: 128))) }?.message
        == "the new key can make no signatures: it is oct 128")
  }

  @Test(arguments: [
    (PrivateKey.Kind.rsa(bits: 1024), "an RSA key needs at least 2048 bits, not 1024"),
    (.rsa(bits: 8192), "a new RSA key can have 2048 to 4096 bits in steps of 8, not 8192"),
    (.ec(curve: "secp256k1"), "there is no EC key on the curve \"secp256k1\"; P-256, P-384 and P-521 are supported"),
    (.symmetric(bits: 100), "a new symmetric key can have 128 to 4096 bits in steps of 8, not 100"),
  ])
  func sizesAreLimited(_ kind: PrivateKey.Kind, _ message: String) {
    #expect(error { try PrivateKey.generate(kind) }?.message == message)
  }

  @Test func aNewKeyForAnAlgorithmOfAnotherTypeIsRefused() {
    #expect(
      error { try PrivateKey.generate(.ed25519, algorithm: "ES256") }?.message
        == "a new key of the kind OKP Ed25519 cannot be used for the algorithm ES256")
  }

  @Test func anAssertionNamesTheClientTwice() throws {
    let claims = JWT.assertion(issuer: "c-1", subject: "c-1", audience: "https://op.example", now: 1000.5)
    #expect(
      claims.filter { $0.key != "jti" } == [
        "iss": "c-1", "sub": "c-1", "aud": "https://op.example", "iat": 1000, "exp": 1060,
      ])
    let other = JWT.assertion(issuer: "c-1", subject: "c-1", audience: "https://op.example", now: 1000.5)
    #expect(claims["jti"] != other["jti"])
  }
}

@Suite struct CertificateTests {
  private let certificate = try? Certificate(pem: Array(Written.certificate.utf8), at: "the certificate in a.crt")

  private func message(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return (error as? JOSEError)?.message }
    return nil
  }

  @Test func itsTimeIsChecked() throws {
    let certificate = try #require(certificate)
    #expect(message { try certificate.checkValidity(at: UnixTime(certificate.notBefore.seconds + 1)) } == nil)
    #expect(
      message { try certificate.checkValidity(at: UnixTime(certificate.notAfter.seconds + 1)) }
        == "the certificate in a.crt expired on 23 Dec 2026")
    #expect(
      message { try certificate.checkValidity(at: UnixTime(certificate.notBefore.seconds - 1)) }
        == "the certificate in a.crt is valid from 2026-11-23T03:45:46Z on")
  }

  @Test func anotherKeyDoesNotBelongToIt() throws {
    let certificate = try #require(certificate)
    let key = try PrivateKey(pem: Array(Written.ed25519.utf8), at: "the key in b.pem")
    #expect(
      message { try certificate.check(belongsTo: key) }
        == "the certificate in a.crt does not belong to the key in b.pem: their public keys differ")
  }

  @Test(arguments: [
    (Written.ecSEC1, "the PEM text has no certificate: it is a EC PARAMETERS"),
    ("", "the PEM text has no certificate: it is no PEM text"),
    (
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "the PEM text is damaged: it is not a certificate"
    ),
  ])
  func whatIsNoCertificateIsNamed(_ pem: String, _ text: String) {
    #expect(message { _ = try Certificate(pem: Array(pem.utf8)) } == text)
  }
}
