import Accounts
import Automation
import HTTPClient
import HostLoop
import Lua
import LuaKit
import ProtectedResources
import Settings

/// The options of `accounts.sign_in` for a server of the Model Context Protocol.
struct ServerOptions: LuaOptions {
  var url: String?
  var allowsPrivate: Bool?
  /// The name of the resource, once it is known.
  var resource: String?

  static let fields: [Field] = [
    .init(
      "mcp", \.url,
      "The address of an MCP server: sign in at the authorization server that it names. Settings are not needed."),
    .init(
      "private_network", \.allowsPrivate,
      "true: with mcp, documents about the sign-in may come from private addresses, such as those of a company."),
  ]
}

extension AccountsModule {
  /// The error of a request for which the scopes of the token do not suffice.
  static let insufficientScope = "insufficient_scope"

  /// Finds out how to sign in for the MCP server of the options, and adds the parameter `resource`.
  /// - Parameter again: the account that signs in again, which keeps its scopes.
  /// - Returns: the settings and the scopes of the sign-in; nil if the options name no server.
  func settingsForServer(
    _ given: inout SignInOptions, _ options: inout [String: LuaValue], again: Account?
  ) async throws -> (settings: Settings, scopes: [String])? {
    guard let url = given.server.url else { return nil }
    let found = try await signIns.session.resourceSignIn(
      url, after: given.challenge.flatMap(Self.scopeChallenge), with: again?.requestedScopes ?? [],
      allowsPrivate: given.server.allowsPrivate ?? false)
    given.server.resource = found.resource
    options["resource"] = .string(found.resource)
    return (found.settings, given.basic.request.scopes ?? found.scopes)
  }

  /// The challenge that an error `insufficient_scope` has in its details.
  private static func scopeChallenge(_ error: LuaTable) -> AuthenticationChallenge? {
    guard error["code"].string == insufficientScope, let details = error["details"].table else { return nil }
    var parameters: [String: String] = [:]
    for name in ["scope", "resource_metadata"] { parameters[name] = details[name].string }
    return AuthenticationChallenge(scheme: "bearer", parameters: parameters)
  }
}
