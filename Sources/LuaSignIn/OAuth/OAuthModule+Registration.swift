import Automation
import Core
import HostLoop
import JSON
import Lua
import LuaKit
import OAuth

extension OAuthModule {
  static let register = asking(
    "oauth.register",
    "Registers an application with the provider (RFC 7591). If the provider registers other redirect URIs or another "
      + "method of authentication, the function deletes the registration again and raises an error.",
    Parameter("metadata", .record(.clientMetadata), "The application."),
    returns: .init(.record(.registration), "The registration, for oauth.unregister.")
  ) { module, arguments, attempt in
    var members: [String: JSON] = [:]
    for pair in try arguments[0].table?.pairs ?? [] {
      guard let name = pair.key.string, name != "initial_access_token" else { continue }
      members[name] = try module.signIns.context.json.json(pair.value, at: "\(arguments.place(0)).\(name)")
    }
    if let key = members["jwks"], key["keys"] == nil { members["jwks"] = ["keys": [key]] }
    let registration = try await RegistrationEndpoint(attempt.provider).register(
      .object(members), initialToken: arguments[0].table?["initial_access_token"].asSecret, policy: attempt.policy)
    var fields: [(name: String, value: LuaValue)] = [
      ("client_id", .string(registration.clientID)), ("client_secret", .secret(registration.clientSecret)),
      ("registration_access_token", .secret(registration.accessToken)),
      ("registration_client_uri", .string(registration.address)),
    ]
    fields += (registration.metadata.object ?? [:]).map { ($0, module.signIns.context.json.optional($1)) }
    return [.record(fields)]
  }

  static let unregister = asking(
    "oauth.unregister", "Deletes a registration (RFC 7592).",
    Parameter("registration", .record(.registration), "The result of oauth.register."),
    returns: .init(.boolean, "False if the provider cannot: the registration has no registration_client_uri.")
  ) { _, arguments, attempt in
    let record = arguments[0].table
    guard let address = record?["registration_client_uri"].string,
      let token = record?["registration_access_token"].asSecret
    else { return [.boolean(false)] }
    try await RegistrationEndpoint(attempt.provider).unregister(address, token)
    return [.boolean(true)]
  }
}

extension LuaRecord {
  private static let clientFields: [Parameter] = [
    .optional("client_name", .string, "The name for users."),
    .optional("redirect_uris", .list(of: .string), "The redirect URIs."),
    .optional(
      "token_endpoint_auth_method", .string, "The method of client authentication; client_secret_basic if not given."),
    .optional("grant_types", .list(of: .string), "The grants of the application."),
    .optional("response_types", .list(of: .string), "The response types of the application."),
    .optional("scope", .string, "The scopes, separated by spaces."),
  ]

  /// The metadata of `oauth.register` (RFC 7591, 2).
  static let clientMetadata = LuaRecord(
    "client metadata", "An application to register.",
    clientFields + [
      .optional("jwks", .record(.keySource), "The public keys: a JSON Web Key, or { keys = { … } }."),
      .optional("initial_access_token", .secret, "The token that some providers require for a registration."),
    ], others: .any)

  /// The result of `oauth.register` (RFC 7591, 3.2.1).
  static let registration = LuaRecord(
    "registration", "A registered application. Other members are as the provider sent them.",
    [
      Parameter("client_id", .string, "The client ID."),
      .optional("client_secret", .object("secret"), "The client secret."),
      .optional("registration_access_token", .object("secret"), "The token that manages the registration."),
      .optional("registration_client_uri", .string, "The address of the registration."),
    ] + clientFields, others: .any)
}
