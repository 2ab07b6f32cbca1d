import Core
import JSON
import LocalTenant
import Lua
import LuaKit

extension TenantModule {
  static let addApplication = ModuleFunction<Self> { module in
    HostFunction(
      "tenant.add_application", "Registers an application with the tenant.",
      [
        .options(
          [
            .optional("client_name", .string, "The name on the pages."),
            .optional(
              "token_endpoint_auth_method", .choice(ClientMethod.allCases.map(\.rawValue)),
              "The method of client authentication; client_secret_basic if not given."),
            .optional(
              "jwks", .record(.keySource), "The public keys of the application: a JSON Web Key, or { keys = { … } }."),
            .optional(
              "tls_client_auth_subject_dn", .string,
              "The subject of the certificate for tls_client_auth: \"CN=tasks,O=Contoso\"."),
            .optional(
              "tls_client_certificate_bound_access_tokens", .boolean,
              "true: the tokens of the application are bound to its certificate, whatever the method."),
            .optional("redirect_uris", .list(of: .string), "Redirect URIs besides those of this machine."),
          ], required: true)
      ], returns: [.init(.record(.application), "The application, with a client secret if the method needs one.")],
      example: """
        local b2c = require "b2c"
        local key = b2c.jose.key.generate { alg = "ES256" }
        b2c.jose.key.save(key, "client")
        local app = b2c.tenant.add_application {
          token_endpoint_auth_method = "private_key_jwt", jwks = b2c.jose.key.public(key),
        }
        print(app.client_id)
        """
    ) { arguments in
      let json = module.host.context.json
      var metadata: [String: JSON] = [:]
      let names = [
        "client_name", "token_endpoint_auth_method", "jwks", "tls_client_auth_subject_dn",
        "tls_client_certificate_bound_access_tokens", "redirect_uris",
      ]
      for name in names where !arguments[name].isNil {
        metadata[name] = try json.json(arguments[name], at: arguments.place(option: name))
      }
      if let key = metadata["jwks"], key["keys"] == nil { metadata["jwks"] = ["keys": [key]] }
      let application = try module.running("tenant.add_application").addApplication(.object(metadata))
      return [
        .record([
          ("client_id", .string(application.id)), ("client_secret", .secret(application.secret.map { Secret($0) })),
          ("name", .string(application.name)),
        ])
      ]
    }
  }
}
