import Automation
import Core
import Crypto
import HostLoop
import JOSE
import JSON
package import Lua
package import LuaKit

/// `b2c.jose`
package struct JOSEModule: LuaModule {
  let session: Session
  let json: JSONMarshal

  package init(_ context: ScriptContext) {
    session = context.session
    json = context.json
  }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "jose", "Keys, signatures and encryption of JSON Web Tokens.", notes: Self.notes, example: Self.example,
      functions,
      modules: [
        HostModule(
          "jose.key", "Keys.",
          [Self.generate, Self.load, Self.publicKey, Self.thumbprint, Self.save, Self.remove].map { $0.of(self) })
      ])
  }

  package static let functions: [ModuleFunction<Self>] = [sign, verify, encrypt, decrypt, hash]

  private static let sign = function(
    "jose.sign", "Signs claims as a JWT, or a text as a JWS.",
    Parameter("claims", .either([.record(.claims), .string]), "The claims, or a text."),
    Parameter("key", .object("key"), "The private or symmetric key."),
    Parameter("header", .record(.joseHeader), optional: true, "Members of the header."),
    returns: .init(.object("secret"), "The token in compact form."),
    example: """
      local key = b2c.jose.key.generate { alg = "ES256" }
      local proof = b2c.jose.sign({ jti = b2c.oauth.random(), htm = "GET", iat = os.time() }, key,
        { typ = "dpop+jwt", jwk = b2c.jose.key.public(key) })
      print(proof) -- [secret]
      """
  ) { module, arguments in
    let key: LuaKey = try arguments.object(1)
    let content = try module.content(arguments)
    let header = try key.key.header(
      module.members(arguments[2], arguments), type: arguments[0].table == nil ? nil : "JWT")
    return [.secret(Secret(given: try JWS.sign(content, header: header, key: key.key)))]
  }

  private static let verify = function(
    "jose.verify",
    "Verifies a JWT: its signature, exp, nbf and iat if they are there, and what is expected. It never accepts "
      + "alg none, nor an HMAC with a public key.",
    Parameter("jwt", .secret, "The token."),
    Parameter("keys", .keys, "A key, a JSON Web Key, a key set, a PEM text, or a list of them."),
    options: VerifyOptions.keys,
    returns: .init(.either([.record(.claims), .string]), "The claims, or a text that is no JSON object."),
    .init(.record(.joseHeader), "The header.")
  ) { module, arguments in
    let expected = try VerifyOptions(arguments).expected
    let token = arguments[0].asSecret?.reveal() ?? ""
    let (header, payload) = try JWT.verify(token, keys: module.keys(arguments[1], arguments), expected: expected)
    return [module.value(payload), module.json.value(header)]
  }

  private struct VerifyOptions: LuaOptions {
    var expected = JWT.Expectation(now: UnixTime.now.seconds)

    static let fields: [Field] = [
      .init("iss", \.expected.issuer, "The expected issuer."),
      .init("sub", \.expected.subject, "The expected subject."),
      .init("aud", \.expected.audience, "The audience; aud may be a list that has it."),
      .init("nonce", \.expected.nonce, "The expected nonce."),
      .init("typ", \.expected.type, "The expected type in the header, such as dpop+jwt."),
      .init(
        "algorithms", \.expected.algorithms, .words, "The allowed values of alg; all that fit the keys if not given."
      ) { try $1.words($0).map { Set($0) } },
      .init(
        "exp", \.expected.expires, .boolean, "true: refuse a token without exp, which would be valid for ever."
      ) { value, _ in value.isTrue },
      .init(
        "max_age", \.expected.maximumAge, in: 0...0x1p53, "The maximum seconds since iat, which must be there."),
      .init(
        "skew", \.expected.skew, .number, in: 0...0x1p53, "The seconds that the clocks may differ; 60 if not given."
      ) { value, _ in value.number ?? 0 },
    ]
  }

  private static let encrypt = function(
    "jose.encrypt", "Encrypts claims, a text or a signed token as a JWE.",
    Parameter("content", .either([.record(.claims), .string, .object("secret")]), "Claims, a text, or a token."),
    Parameter("key", .keys, "The recipient's public key, or a symmetric key."),
    Parameter(
      "header", .record(.joseHeader), optional: true,
      "Members of the header. If alg is not given: RSA-OAEP-256, ECDH-ES+A256KW or dir. If enc is not given: A256GCM."),
    returns: .init(.object("secret"), "The encrypted text in compact form.")
  ) { module, arguments in
    let keys = try module.keys(arguments[1], arguments)
    guard keys.count == 1, let key = keys.first else {
      throw arguments.failure("argument 2: expected one key, got \(keys.count)")
    }
    var header = try module.members(arguments[2], arguments)
    if header["kid"] == nil { header["kid"] = key.keyID.map { .string($0) } }
    if header["cty"] == nil, case .object = arguments[0] { header["cty"] = "JWT" }
    let sealed = try JWE.encrypt(module.content(arguments), header: .object(header), key: key)
    return [.secret(Secret(given: sealed))]
  }

  private static let decrypt = function(
    "jose.decrypt", "Decrypts a JWE.", Parameter("jwe", .secret, "The encrypted text."),
    Parameter("key", .object("key"), "The private or symmetric key."),
    returns: .init(
      .either([.record(.claims), .string, .object("secret")]), "The claims; a secret if cty is JWT; else the text."),
    .init(.record(.joseHeader), "The header.")
  ) { module, arguments in
    let key: LuaKey = try arguments.object(1)
    let (plain, header) = try JWE.decrypt(arguments[0].asSecret?.reveal() ?? "", key: key.key)
    let isToken = header["cty"]?.string?.lowercased() == "jwt"
    let content = isToken ? .secret(Secret(given: String(decoding: plain, as: UTF8.self))) : module.value(plain)
    return [content, module.json.value(header)]
  }

  private static let hash = function(
    "jose.hash",
    "A hash in base64url. S256 is the whole SHA-256 hash, as for a PKCE challenge, ath of a DPoP proof, and x5t#S256. The "
      + "name of a signature algorithm gives the left half of its hash, as for at_hash, c_hash and s_hash.",
    Parameter("text", .secret, "The text."),
    Parameter(
      "alg", .choice(["S256"] + SignatureAlgorithm.allCases.map(\.rawValue)), optional: true, "S256 if not given."),
    returns: .init(.string, "The hash."),
    example: """
      local pkce = b2c.oauth.pkce()
      assert(b2c.jose.hash(pkce.verifier) == pkce.challenge)
      print(b2c.jose.hash("the access token", "RS256")) -- at_hash
      """
  ) { _, arguments in
    let text = arguments[0].asSecret?.reveal() ?? ""
    guard let algorithm = arguments[1].string.flatMap(SignatureAlgorithm.init) else {
      return [.string(Base64URL.encode(SHA256.hash(text.utf8)))]
    }
    return [.string(algorithm.leftHalfHash(of: text))]
  }

  private static let generate = function(
    "jose.key.generate", "Makes a new key.",
    options: GenerateOptions.keys, returns: .init(.object("key"), "The key."),
    example: "print(b2c.jose.key.generate { alg = \"EdDSA\" }.kid)"
  ) { _, arguments in
    let options = try GenerateOptions(arguments)
    let kind = try PrivateKey.Kind(
      type: options.type, curve: options.curve, bits: options.bits, algorithm: options.algorithm)
    return [
      .object(LuaKey(try PrivateKey.generate(kind, keyID: options.keyID, algorithm: options.algorithm)))
    ]
  }

  private struct GenerateOptions: LuaOptions {
    var type: String?
    var curve: String?
    var bits: Int?
    var algorithm: String?
    var keyID: String?

    static let fields: [Field] = [
      .init("kty", \.type, .choice(["EC", "RSA", "OKP", "oct"]), "The type; that of alg, or EC, if not given."),
      .init(
        "crv", \.curve, .choice(["P-256", "P-384", "P-521", "Ed25519"]),
        "The curve; that of alg, or P-256, if not given."),
      .init("bits", \.bits, "The size of an RSA key, 2048 if not given, or of a symmetric key, 256."),
      .init("alg", \.algorithm, "The only algorithm of the key, such as ES256."),
      .init("kid", \.keyID, "The ID; the thumbprint if not given."),
    ]
  }

  private static let load = suspending(
    "jose.key.load", "Loads a private or symmetric key: PKCS #8, PKCS #1 or SEC 1 in PEM, or a JSON Web Key.",
    Parameter(
      "source", .either([.string, .object("secret"), .record(.keySource)]),
      "The text of the key, a JSON Web Key as a table, or { file = PATH }, a file that the script may read, or "
        + "{ stored = NAME }, a key that jose.key.save stored."),
    options: LoadOptions.keys, returns: .init(.object("key"), "The key.")
  ) { module, arguments in
    if let name = try arguments[0].table?["stored"].text(at: "stored") {
      return [.object(LuaKey(try await module.session.accounts.savedKey(name)))]
    }
    let source = try module.source(arguments[0], arguments)
    if let json = source.json { return [.object(LuaKey(try PrivateKey(jwk: json, at: source.place)))] }
    let options = try LoadOptions(arguments)
    let key = try PrivateKey(
      pem: source.text, passphrase: options.passphrase, keyID: options.keyID, at: source.place)
    return [.object(LuaKey(key))]
  }

  private struct LoadOptions: LuaOptions {
    var passphrase: Secret?
    var keyID: String?

    static let fields: [Field] = [
      .init("passphrase", \.passphrase, "The passphrase of an encrypted PEM."),
      .init("kid", \.keyID, "The ID of a key in PEM; the thumbprint if not given."),
    ]
  }

  private static let publicKey = function(
    "jose.key.public", "The public half of a key as a JSON Web Key, to publish or to register.",
    Parameter("key", .keys, "A key, a JSON Web Key, a PEM text, or { file = PATH }; also a certificate in PEM."),
    returns: .init(.record(.keySource), "The public JSON Web Key.")
  ) { module, arguments in
    var key = try module.key(arguments[0], arguments)
    if key.json["d"] != nil || key.type == "oct" { key = try key.publicKey }
    return [module.json.value(key.json)]
  }

  private static let thumbprint = function(
    "jose.key.thumbprint", "The SHA-256 thumbprint of a key (RFC 7638), as for dpop_jkt and cnf.",
    Parameter("key", .keys, "A key, a JSON Web Key, a PEM text, or { file = PATH }."),
    returns: .init(.string, "The thumbprint in base64url. The one of a symmetric key is a hash of the secret.")
  ) { module, arguments in [.string(try module.key(arguments[0], arguments).thumbprint)] }

  private static let save = suspending(
    "jose.key.save",
    "Stores a key under a name in the account store, sealed like tokens, in place of the key that has the name. Scripts "
      + "with settings for the same provider can load it.",
    Parameter("key", .object("key"), "The key."), Parameter("name", .string, "The name, for { stored = NAME }.")
  ) { module, arguments in
    let key: LuaKey = try arguments.object(0)
    try await module.session.accounts.save(key.key, as: arguments.string(1))
    return []
  }

  private static let remove = suspending(
    "jose.key.remove", "Removes a stored key.", Parameter("name", .string, "The name."),
    returns: .init(.boolean, "False if there was none.")
  ) { module, arguments in [.boolean(try await module.session.accounts.removeKey(arguments.string(0)))] }
}
