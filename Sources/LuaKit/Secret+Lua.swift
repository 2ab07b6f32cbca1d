package import Core
import HostLoop
package import Lua

/// A `Secret` for scripts. It prints as `[secret]`; `reveal` gives the bytes.
package final class LuaSecret: LuaObject {
  package let secret: Secret
  /// The answer that brought the secret, such as a token response; nil for a secret by itself.
  package let origin: (any Sendable)?

  package nonisolated init(_ secret: Secret, from origin: (any Sendable)? = nil) {
    self.secret = secret.shared()
    self.origin = origin
  }

  package static let luaType = HostType(
    "secret", "A token, password or key. It prints as [secret].",
    methods: [
      method(
        "secret:reveal", "The text of the secret. The program protects the secret, but not this text.",
        returns: .init(.string, "The bytes.")
      ) { object, _ in [.string(object.secret.reveal())] }
    ], describe: { _ in "[secret]" })
}

extension LuaValue {
  /// The Lua value of a secret; nil for none.
  package static func secret(_ secret: Secret?, from origin: (any Sendable)? = nil) -> LuaValue {
    secret.map { .object(LuaSecret($0, from: origin)) } ?? .nil
  }

  /// The secret given as a string or as a `Secret` value.
  package var asSecret: Secret? {
    if let secret = object(LuaSecret.self) { return secret.secret }
    return string.map { Secret(given: $0) }
  }
}

extension LuaType {
  /// A secret, which may be given as a string.
  package static let secret = LuaType.either([.string, .object("secret")])
}

/// A secret that a script may see to be there, hand back, and no more. Hooks of plugins get it in place of a token. The
/// function `refresh` of a script's own flow gets it in place of a refresh token.
package final class SealedSecret: LuaObject {
  /// The secret for the call that it is handed back to; nil for a call that knows it.
  package let secret: Secret?

  package nonisolated init(_ secret: Secret? = nil) { self.secret = secret }

  package static let luaType = HostType(
    "sealed secret",
    "A secret that a hook or a flow gets. It prints as [secret]. They cannot reveal it or send it elsewhere.",
    describe: { _ in "[secret]" })
}
