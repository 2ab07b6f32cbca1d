package import Core
import HostLoop
package import Lua

/// A `Secret` as scripts hold it: prints as `[secret]`; `reveal` gives the bytes.
package final class LuaSecret: LuaObject {
  package let secret: Secret

  package nonisolated init(_ secret: Secret) { self.secret = secret.shared() }

  package static let luaType = HostType(
    "secret", "A token, password or key. It prints as [secret].",
    methods: [
      HostFunction(
        "secret:reveal", "The secret itself. What is revealed is the script's to guard.",
        [Parameter("self", .object("secret"))], returns: [.init(.string, "The bytes.")]
      ) { arguments in
        let secret: LuaSecret = try arguments.object(0)
        return [.string(secret.secret.reveal())]
      }
    ],
    describe: { _ in "[secret]" })
}

extension LuaValue {
  /// A secret, or nil.
  package static func secret(_ secret: Secret?) -> LuaValue {
    secret.map { .object(LuaSecret($0)) } ?? .nil
  }

  /// The secret given as a string or as a `Secret` value.
  package var asSecret: Secret? {
    if case .object(let object) = self, let secret = object as? LuaSecret { return secret.secret }
    return string.map { Secret(given: $0) }
  }
}

extension LuaType {
  /// A string or a Secret.
  package static let secret = LuaType.either([.string, .object("secret")])
}
