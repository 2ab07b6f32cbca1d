import Conform

extension Topic {
  private static let profiles: Set<Profile> = [.mcp]

  static let mcpChallenge = Topic(
    "mcp.challenge", "Answers to requests without a token", profiles, danger: .passive, wrong: .server,
    means: "Clients do not find out that a sign-in is needed, or where; or everybody may use the server.",
    change: [
      "In general":
        "Answer each request without a right token with 401 and WWW-Authenticate: Bearer resource_metadata=\"…\", scope=\"…\".",
      "Entra": "API Management and App Service need a policy that writes resource_metadata into WWW-Authenticate.",
    ])

  static let mcpResource = Topic(
    "mcp.resource", "Metadata of the protected resource", profiles, danger: .passive, wrong: .server,
    means: "Clients refuse the server, or ask for the wrong scopes, or for tokens of another server.",
    change: ["In general": "Publish the document of RFC 9728 at the well-known address with the path of the server."])

  static let mcpAuthorization = Topic(
    "mcp.authorization", "Metadata of the authorization server", profiles, danger: .passive, wrong: .provider,
    means: "Clients cannot sign in: they refuse the authorization server, or there is no way to become its client.",
    change: [
      "In general":
        "Publish the document of RFC 8414 with code_challenge_methods_supported, and take client ID metadata documents.",
      "Entra":
        "Entra publishes no code_challenge_methods_supported and has no registration: put a proxy with own metadata in front, or register each client.",
    ])

  static let mcpTokens = Topic(
    "mcp.tokens", "Access tokens at the MCP server", profiles, wrong: .server,
    means: "A token of another issuer, for another server, or from the past opens this server.",
    change: ["In general": "Verify signature, iss, aud, exp and nbf; take tokens for the address of this server only."])

  static let mcpAnswers = Topic(
    "mcp.answers", "Answers to wrong tokens", profiles, danger: .passive, wrong: .server,
    means: "Clients do not know that they have to sign in again.",
    change: [
      "In general": "Answer 401 with error=\"invalid_token\" and resource_metadata, as RFC 6750, section 3, has it."
    ])

  static let mcpRebinding = Topic(
    "mcp.rebinding", "Requests from pages of other sites (DNS rebinding)", profiles, danger: .passive, wrong: .server,
    means: "A web page that the user visits talks to the server on the user's machine.",
    change: ["In general": "Compare Host and Origin with the names of the server, and answer 403 otherwise."])

  static let mcpSessions = Topic(
    "mcp.sessions", "Sessions of the MCP server", profiles, wrong: .server,
    means: "Whoever knows or guesses the ID of a session acts as its user.",
    change: ["In general": "Check the token of each request, and bind a session to the user of the token."])

  static let mcpTransport = Topic(
    "mcp.transport", "Messages over HTTP", profiles, wrong: .server,
    means: "Clients of other versions fail without a reason that they can show.",
    change: ["In general": "Answer wrong versions, types and messages with 400 or 415 and an error of JSON-RPC."])
}
