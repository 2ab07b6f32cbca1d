import Automation
import HostLoop
package import Lua
package import LuaKit
import Permissions

/// `b2c.secrets`
package struct SecretsModule: LuaModule {
  let context: ScriptContext

  package init(_ context: ScriptContext) { self.context = context }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "secrets", "The secrets that a person keeps for scripts.",
      notes: """
        `b2c-run secrets set NAME` keeps a secret, sealed like the tokens of accounts. A service of systemd gets secrets by \
        `LoadCredential`; these come first. A script needs the permission `--allow-secret=NAME`.
        """, functions)
  }

  package static let functions: [ModuleFunction<Self>] = [
    suspending(
      "secrets.get", "Returns a secret for headers of requests, keys and passwords.",
      Parameter("name", .string, "The name of the secret."),
      returns: .init(.object("secret"), "The secret. It prints as [secret].")
    ) { module, arguments in
      let name = arguments.string(0)
      try module.context.session.permissions.check(secret: name, by: "secrets.get")
      return [
        .secret(
          try await KeptSecrets(module.context.session.configuration, module.context.session.console).secret(name))
      ]
    }
  ]
}
