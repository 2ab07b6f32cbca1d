import Automation
import HostLoop
import Lua
import Permissions

struct SecretsModule: LuaModule {
  let session: Session

  var module: HostModule {
    HostModule(
      "secrets", "The secrets that a person keeps for scripts.",
      notes: """
        `b2c-run secrets set NAME` keeps a secret, sealed like the tokens of accounts. A service of systemd gets secrets by \
        `LoadCredential`; these come first. A script needs the permission `--allow-secret=NAME`.
        """, functions)
  }

  static let functions: [ModuleFunction<Self>] = [
    suspending(
      "secrets.get", "Returns a secret for headers of requests, keys and passwords.",
      Parameter("name", .string, "The name of the secret."),
      returns: .init(.object("secret"), "The secret. It prints as [secret].")
    ) { module, arguments in
      let name = arguments.string(0)
      try module.session.permissions.check(secret: name, by: "secrets.get")
      return [.secret(try await KeptSecrets(module.session.configuration, module.session.console).secret(name))]
    }
  ]
}
