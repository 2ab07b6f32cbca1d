import Conform

extension Topic {
  private static let library: KeyValuePairs = [
    "In general":
      "Use a maintained library for the sign-in, and let it make and compare these values; do not switch its checks off."
  ]

  static let clientRequest = Topic(
    "client.request", "Authorization requests of the program", wrong: .client,
    means: "Another site can end the user's sign-in with an account that is not the user's, or take the user's code.",
    change: [
      "In general":
        "Send code_challenge with S256, and state, both new for each sign-in; keep secrets out of addresses.",
      "Entra": "MSAL sends all of them by itself. Own code has to make them.",
    ])

  static let clientToken = Topic(
    "client.token-request", "Requests of the program to the token endpoint", wrong: .client,
    means: "A code or a secret of the application can be read in logs, or be used by somebody else.",
    change: [
      "In general": "Send a POST with a form, the verifier of this sign-in, and one way of client authentication."
    ])

  static let clientAnswer = Topic(
    "client.answer", "Authorization responses that the program gets", wrong: .client,
    means: "An attacker can sign a user in to the attacker's account, or have the code of a user redeemed.",
    change: [
      "In general":
        "Compare state and iss with those of the request before anything else, and stop if one of them differs."
    ])

  static let clientIDToken = Topic(
    "client.id-token", "ID tokens that the program gets", .openID, wrong: .client,
    means: "A forged, old or foreign token signs a stranger in.",
    change: library)

  static let clientSignature = Topic(
    "client.signature", "Signatures of ID tokens", .openID, wrong: .client,
    means: "Whoever can put a token in the way of the program signs in as any user.",
    change: [
      "In general": "Verify the signature with the keys of jwks_uri, and accept only the algorithms that you expect."
    ])

  static let clientKeys = Topic(
    "client.keys", "Keys (JWKS) that the program reads", .openID, wrong: .client,
    means: "Sign-ins fail after the provider has changed its keys, or pass with a key that is not the provider's.",
    change: [
      "In general":
        "Choose the key by kid, pass over keys that you do not know, and read the JWKS again for an unknown kid.",
      "B2C": "B2C publishes keys before it signs with them, and keeps old ones: expect several.",
    ])

  static let clientMetadata = Topic(
    "client.metadata", "Metadata that the program reads", wrong: .client,
    means:
      "The program sends codes and secrets to endpoints that another party has named, or fails at the next change of the provider.",
    change: [
      "In general": "Compare issuer with the issuer that was configured; pass over members that you do not know.",
      "B2C": "The issuer of B2C has the tenant's GUID: configure it, and do not switch the comparison off.",
    ])

  static let clientTokens = Topic(
    "client.token-answer", "Token responses that the program gets", wrong: .client,
    means: "A sign-in fails though the provider is right, or the program uses a response that is an error.",
    change: [
      "In general":
        "Read the response as RFC 6749, section 5, has it: check the status and the type, and ignore the rest."
    ])

  static let clientErrors = Topic(
    "client.errors", "Errors and failures of the provider", wrong: .client,
    means: "A failure of the provider leads to a wrong sign-in, to a flood of requests, or to a program that hangs.",
    change: ["In general": "End the sign-in with a message; wait as Retry-After says; redeem no code twice."])

  static let clientUserinfo = Topic(
    "client.userinfo", "Userinfo responses that the program gets", .openID, wrong: .client,
    means: "The program takes one user's name and address for another's.",
    change: ["In general": "Compare sub of the userinfo response with sub of the ID token."])

  static let clientAPI = Topic(
    "client.api", "Requests of the program with an access token", wrong: .client,
    means: "Tokens end up in logs, or with a party that they are not for.",
    change: ["In general": "Send the access token, and no other one, in the Authorization header."])

  static let clientRefresh = Topic(
    "client.refresh", "Refreshing tokens", wrong: .client,
    means: "Users are signed out without a reason, or stay signed in as somebody else.",
    change: ["In general": "Keep the newest refresh token, and check the ID token of a refresh like the first one."])

  static let clientDevice = Topic(
    "client.device", "The device flow of the program", wrong: .client,
    means: "The program floods the provider, or asks on after the user has refused.",
    change: [
      "In general": "Wait interval seconds between two requests, 5 more after slow_down, and stop at any other error."
    ])

  // MARK: Clients of MCP servers

  static let clientMCPResource = Topic(
    "client.mcp-resource", "Metadata of an MCP server that the program reads", [.mcp], wrong: .client,
    means:
      "The program asks for a token of another server, and gives it to an attacker; or it does not find the sign-in.",
    change: ["In general": "Compare resource with the address of the server, as text, before anything else."])

  static let clientMCPServer = Topic(
    "client.mcp-server", "Metadata of the authorization server of an MCP server", [.mcp], wrong: .client,
    means: "The user signs in at a server that an attacker chose, or codes can be stolen.",
    change: ["In general": "Ask the places in their order, compare issuer as text, and demand S256."])

  static let clientMCPRequest = Topic(
    "client.mcp-request", "Sign-ins and requests of an MCP client", [.mcp], wrong: .client,
    means:
      "Tokens are good at other servers, have too many scopes, or get to another party; or the sign-in never ends.",
    change: [
      "In general":
        "Send resource, the scopes of the challenge, and the token to its server alone; keep all of it by issuer; try three times."
    ])
}
