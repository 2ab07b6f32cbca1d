package import HostLoop
package import JOSE
package import Lua

/// A private or symmetric key for scripts, which can use it but not read it.
@HostActor
package final class LuaKey: LuaObject {
  package let key: PrivateKey

  package init(_ key: PrivateKey) { self.key = key }

  /// libcrypto's form of a large RSA key.
  package let weight = 4 << 10

  package static let luaType = HostType(
    "key", "A private or symmetric key. It prints as its kind and thumbprint; no function returns the key itself.",
    properties: [
      property("kty", .string, "The type: EC, RSA, OKP or oct.") { .string($0.key.type) },
      property("crv", .string, optional: true, "The curve of an EC or OKP key.") { .string($0.key.curve) },
      property("kid", .string, optional: true, "The ID: as it was given, else the thumbprint.") {
        .string($0.key.keyID)
      },
      property("algorithms", .list(of: .string), "The signature algorithms of the key, the usual one first.") {
        .list($0.key.algorithms.map { .string($0.rawValue) })
      },
    ], describe: { object in (object as? LuaKey)?.key.description ?? "key" })
}

extension LuaKey: LuaReadable {
  nonisolated package static var readType: LuaType { .object("key") }
  package static func read(_ value: LuaValue) -> LuaKey? { value.object(LuaKey.self) }
}
