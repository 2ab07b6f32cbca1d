import HostLoop
import Lua
import OAuth
import Settings

/// What a sign-in will come up against, found out before it.
extension ScriptHost {
  var oauthCheckScopes: HostFunction {
    HostFunction(
      "oauth.check_scopes", "Raises no_access_token_scopes for scopes that bring no access token at Azure AD B2C.",
      [Parameter("scopes", .words, optional: true, "A list; those of the settings if not given.")]
    ) { [self] arguments in
      let client = try flowContext().client
      try client.checkScopes(try arguments.words(arguments[0], "argument 1") ?? client.settings.scopes)
      return []
    }
  }

  var oauthClockDifference: HostFunction {
    HostFunction(
      "oauth.clock_difference", "How far this machine's clock is ahead of the provider's, by its latest answer.",
      returns: [.init(.number, optional: true, "Seconds, below 0 when it is behind; nil before the first answer.")]
    ) { [self] _ in [try flowContext().client.clockDifference.map { .number($0) } ?? .nil] }
  }
}
