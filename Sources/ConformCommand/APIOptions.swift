import Automation
import CommandLine

/// The options of `conform api`.
struct APIOptions: Sendable {
  /// The port of the local tenant that an API trusts which already runs.
  static let usualPort: UInt16 = 8910

  var port: UInt16?
  var audience: String?
  var scopes: String?
  var tokenFile: String?
  var method: String?
  var body: String?

  private static let actions = ["api"]
  private static let tokens = ["api", "mcp"]

  static let flags: [Flag<ConformCommand>] = [
    Flag(
      "--port N", "the port of the local tenant that the API or the MCP server trusts (8910 for an API)", with: tokens
    ) {
      guard let port = $1.flatMap({ UInt16($0) }) else {
        throw UsageError("--port: expected a number from 0 to 65535, got '\($1 ?? "")'")
      }
      $0.api.port = port
    },
    Flag(
      "--audience AUD", "aud of the tokens that it takes (the address of an MCP server if not given)", with: tokens,
      \.api.audience),
    Flag(
      "--scp SCOPES", "scp of the tokens that it takes ('read write' for an API, and those that an MCP server names)",
      with: tokens, \.api.scopes),
    Flag(
      "--token-file FILE",
      "take a real access token from FILE, and make only the requests that need no key of its issuer",
      with: tokens, \.api.tokenFile),
    Flag("--method METHOD", "the method of the requests (GET if not given)", with: actions, \.api.method),
    Flag("--body JSON", "the body of the requests", with: actions, \.api.body),
  ]
}
