import Automation
import Core
import Files
import HostLoop
import JOSE
import JSON
import Lua
import LuaKit

extension LuaRecord {
  /// The header of a JWS or JWE (RFC 7515, 4; RFC 7516, 4).
  static let joseHeader = LuaRecord(
    "JOSE header", "The header of a signed or encrypted token.",
    .optional("alg", .string, "The algorithm; the usual one of the key if not given."),
    .optional("enc", .string, "The encryption of the content."),
    .optional("kid", .string, "The ID of the key; the key's own if not given."),
    .optional("typ", .string, "The type of the token; JWT if not given."),
    .optional("jwk", .record(.keySource), "The public key, as in a DPoP proof."), others: .any)
}

extension JOSEModule {
  /// The text or JSON Web Key of a key, and its place for messages.
  struct Source {
    var text: [UInt8] = []
    var json: JSON?
    var place: String
  }

  /// The longest file of a key: certificates in front of it may be several.
  private static let largestFile = 1 << 20

  /// The key that an argument names.
  func source(_ value: LuaValue, _ arguments: Arguments) throws -> Source {
    let place = "\(arguments.function.name): the key"
    guard let table = value.table else {
      let source = try text(Array((value.asSecret?.reveal() ?? "").utf8), at: place)
      let isPEM = String(decoding: source.text, as: UTF8.self).contains("-----BEGIN")
      guard source.json != nil || isPEM else { throw Self.noKey(place, value.string) }
      return source
    }
    guard let path = table["file"].path else {
      return Source(json: try json.json(value, at: place), place: place)
    }
    let contents = try session.permissions.contents(
      of: path, for: .reading, most: Self.largestFile, "the most that a key may have", arguments,
      isSecret: Self.hasPrivateKey)
    return try text(contents, at: "\(place) in \(path)")
  }

  /// True for a private or symmetric key, in PEM or as JSON.
  private static func hasPrivateKey(_ bytes: [UInt8]) -> Bool {
    if let json = try? JSON(parsing: bytes) {
      return ([json] + (json["keys"]?.array ?? [])).contains { $0["d"] != nil || $0["k"] != nil }
    }
    return bytes.firstRange(of: Array("PRIVATE KEY-----".utf8)) != nil
  }

  /// The error about a text that does not contain a key. It may be the path of a key file.
  private static func noKey(_ place: String, _ text: String?) -> LuaError {
    let isPath = text.map { text in
      [".jwk", ".jwks", ".json", ".pem", ".key", ".crt", ".cer"].contains { text.lowercased().hasSuffix($0) }
    }
    return LuaError(
      code: JOSEError.Kind.invalidKey.rawValue, message: "\(place) is no PEM text: no line begins with \"-----BEGIN\"",
      hint:
        "for a file, write { file = \"\(isPath == true ? text ?? "" : "…")\" }; else give a key in PEM or as a JSON Web Key"
    )
  }

  private func text(_ text: [UInt8], at place: String) throws -> Source {
    let blanks = Array(" \t\r\n".utf8)
    guard text.first(where: { !blanks.contains($0) }) == UInt8(ascii: "{") else {
      return Source(text: text, place: place)
    }
    do { return Source(json: try JSON(parsing: text), place: place) } catch {
      throw LuaError(code: "invalid_key", message: "\(place) is no JSON Web Key: \(error.reason)")
    }
  }

  /// The public key or symmetric key that an argument names.
  func key(_ value: LuaValue, _ arguments: Arguments) throws -> JWK {
    if let key = value.object(LuaKey.self) { return try key.key.counterpart }
    let source = try source(value, arguments)
    if let json = source.json { return try JWK(json) }
    return try JWK(pem: source.text, at: source.place)
  }

  /// A provider has a few.
  private static let mostKeys = 1000

  /// All keys that an argument names, without private members.
  func keys(_ value: LuaValue, _ arguments: Arguments) throws -> [JWK] {
    if let table = value.table, table["kty"].isNil, table["file"].isNil {
      if table["keys"].table != nil { return try JWKSet(json.json(value, at: arguments.place(1))).keys }
      var keys: [JWK] = []
      for element in try table.elements {
        keys += try self.keys(element, arguments)
        guard keys.count <= Self.mostKeys else {
          throw arguments.failure("argument 2: expected at most \(Self.mostKeys) keys")
        }
      }
      return keys
    }
    let key = try key(value, arguments)
    return [key.json["d"] == nil ? key : try key.publicKey]
  }

  /// The bytes of the first argument: claims as JSON, or a text.
  func content(_ arguments: Arguments) throws -> [UInt8] {
    switch arguments[0] {
    case .bytes(let bytes): return bytes
    case .table(let table):
      guard case .object(let members) = try json.json(.table(table), at: arguments.place(0)) else {
        throw arguments.failure("argument 1: claims have names, and this is a list")
      }
      return JSON.object(members).bytes() ?? []
    default: return Array((arguments[0].asSecret?.reveal() ?? "").utf8)
    }
  }

  /// The members of an optional header.
  func members(_ value: LuaValue, _ arguments: Arguments) throws -> [String: JSON] {
    guard value.table != nil else { return [:] }
    return try json.json(value, at: arguments.place(2)).object ?? [:]
  }

  /// Claims as a table, and other bytes as a string.
  func value(_ payload: [UInt8]) -> LuaValue {
    if let json = try? JSON(parsing: payload), json.object != nil { return self.json.value(json) }
    return .bytes(payload)
  }

  nonisolated static let notes = """
    Private keys are opaque: a script uses a key, but cannot read it. Signed and encrypted tokens are secrets, which
    oauth.token and http.request take as they are; secret:reveal() returns the text. [Keys](Keys.md) has
    examples.
    """

  nonisolated static let example = """
    local b2c = require "b2c"
    local jose = b2c.jose

    local key = jose.key.generate { alg = "ES256" }
    local now = os.time()
    local assertion = jose.sign({
      iss = "client-1", sub = "client-1", aud = "https://op.example", jti = b2c.oauth.random(), iat = now, exp = now + 60,
    }, key)
    local claims, header = jose.verify(assertion, jose.key.public(key), { aud = "https://op.example" })
    print(claims.sub, header.alg, jose.key.thumbprint(key))
    """
}
