import Accounts
import Automation
import HTTPClient
import HostLoop
import Lua
import LuaKit
import OAuth
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

extension SignInOptions {
  /// The challenge of an MCP server for which the scopes of the token do not suffice: the error `insufficient_scope` has it in its
  /// details.
  @HostActor var scopeChallenge: AuthenticationChallenge? {
    guard server.url != nil, let challenge, challenge["code"].string == "insufficient_scope",
      let details = challenge["details"].table
    else { return nil }
    var parameters: [String: String] = [:]
    for name in ["scope", "resource_metadata"] { parameters[name] = details[name].string }
    return AuthenticationChallenge(scheme: "bearer", parameters: parameters)
  }
}

extension AccountsModule {
  /// Finds out how to sign in for the MCP server of the options, and adds the parameter `resource`. An account that signs in again keeps
  /// its scopes.
  /// - Returns: the settings and the scopes of the sign-in; nil if the options name no server.
  func settingsForServer(
    _ given: inout SignInOptions, _ options: inout [String: LuaValue], _ arguments: Arguments
  ) async throws -> (settings: Settings, scopes: [String])? {
    if given.server.url != nil || given.server.allowsPrivate != nil, let flow = given.flowName, Flows.isStock(flow) {
      // Before the server gets a request.
      try SignInEffect.check(arguments.options, flow: flow, agent: nil, arguments)
    }
    guard let url = given.server.url else {
      guard given.server.allowsPrivate != true else {
        throw arguments.failure(
          option: "private_network", "has no effect without mcp", hint: "leave it out, or add mcp")
      }
      return nil
    }
    let found = try await signIns.session.resourceSignIn(
      url, after: given.scopeChallenge, with: given.account?.account.requestedScopes ?? [],
      allowsPrivate: given.server.allowsPrivate ?? false)
    given.server.resource = found.resource
    options["resource"] = .string(found.resource)
    return (found.settings, given.basic.request.scopes ?? found.scopes)
  }
}
