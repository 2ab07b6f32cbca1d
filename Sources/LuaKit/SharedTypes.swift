import HostLoop
package import Lua

extension LuaType {
  /// The value of a request's parameter or field; a list gives its name more than once.
  package static let requestValue = LuaType.either([.string, .object("secret"), .number, .boolean, .list(of: .string)])
}

extension LuaType {
  /// Everything that gives public keys.
  package static let keys = LuaType.either([.object("key"), .string, .record(.keySource), .list(of: .any)])
}

extension Parameter {
  /// The option `dpop`: `true`, `false` or a key.
  package static func dpop(_ doc: String) -> Parameter { .optional("dpop", .either([.boolean, .object("key")]), doc) }
}

extension LuaRecord {
  /// The claims of an ID token, or whatever else a JWT says (RFC 7519, 4.1; OpenID Connect Core, 2).
  package static let claims = LuaRecord(
    "claims table", "The claims of a token. The policy determines which claims exist.",
    .optional("iss", .string, "The issuer of the token."),
    .optional("sub", .string, "The subject: the ID of the user."),
    .optional("aud", .either([.string, .list(of: .string)]), "The audience: client IDs."),
    .optional("exp", .integer, "The expiry time, in Unix seconds."),
    .optional("iat", .integer, "The time of issue, in Unix seconds."),
    .optional("name", .string, "The user's name."), others: .any)

  /// A JSON Web Key, a key set, or the file with one (RFC 7517).
  package static let keySource = LuaRecord(
    "JSON Web Key", "A key as JSON (RFC 7517), or the file with a key.",
    .optional("kty", .string, "The type: EC, RSA, OKP or oct."),
    .optional("crv", .string, "The curve."),
    .optional("kid", .string, "The ID."),
    .optional("keys", .list(of: .map(of: .any)), "The keys of a key set."),
    .optional("file", .string, "The path of a PEM file or of a JSON Web Key."),
    .optional("stored", .string, "The name of a stored key, for jose.key.load."), others: .any)
}

extension LuaState {
  /// A new table with these fields.
  package func makeTable(_ fields: [(name: String, value: LuaValue)]) -> LuaTable {
    let table = makeTable()
    for field in fields { table[field.name] = field.value }
    return table
  }
}

extension LuaValue {
  /// The fields of a table with names.
  @HostActor package var fields: [(name: String, value: LuaValue)] {
    switch self {
    case .record(let fields): fields
    case .table(let table): ((try? table.pairs) ?? []).compactMap { pair in pair.key.string.map { ($0, pair.value) } }
    default: []
    }
  }
}
