import HostLoop
import LocalTenant
import Lua

extension TenantModule {
  private nonisolated static let behaviorKeys: [Parameter] = [
    Parameter("access_token_lifetime", .integer, optional: true, "Seconds, of ID tokens too; 3600 at first."),
    Parameter("refresh_token_lifetime", .integer, optional: true, "Seconds; 14 days at first."),
    Parameter(
      "rotate_refresh_tokens", .boolean, optional: true,
      "true, as at first: each refresh gives a new refresh token, and an old one used again revokes the grant."
    ),
    Parameter(
      "numbers_as_strings", .boolean, optional: true,
      "true: token responses have numbers as strings, as those of some providers."),
    Parameter("require_pkce", .boolean, optional: true, "true: a request for a code must have a challenge."),
    Parameter(
      "signing_algorithm", .choice(SigningAlgorithm.allCases.map(\.rawValue)), optional: true,
      "The algorithm of signatures from now on, with a new key."),
    Parameter(
      "frontchannel_logout_uri", .string, optional: true,
      "An address of this machine that gets the sign-outs of the native application; \"\" for none, as at first."),
    Parameter(
      "tasks_dialect", .choice(TaskDialect.allCases.map(\.rawValue)), optional: true,
      "The server that the task API imitates: \"dotnet\", as at first, or \"node\", whose list has the 20 oldest tasks."
    ),
    Parameter(
      "idempotency_keys", .boolean, optional: true,
      "true, as at first: the task API honors and echoes Idempotency-Key."),
    Parameter(
      "task_rate", .integer, optional: true,
      "Requests per second that the task API takes, twice as many in a burst; 0 for no limit, as at first."),
    Parameter(
      "implicit", .boolean, optional: true,
      "true, as at first: the native application gets tokens from the authorization endpoint and by password."),
  ]

  var configure: HostFunction {
    action(
      "tenant.configure", "Changes how the tenant treats its clients from now on. Options that are not given stay.",
      [.options(Self.behaviorKeys, required: true)]
    ) { tenant, arguments in
      try tenant.setLifetimes(
        accessToken: arguments["access_token_lifetime"].integer.map { Int(clamping: $0) },
        refreshToken: arguments["refresh_token_lifetime"].integer.map { Int(clamping: $0) })
      if let value = arguments["rotate_refresh_tokens"].boolean { try tenant.setRotatesRefreshTokens(value) }
      if let value = arguments["numbers_as_strings"].boolean { try tenant.setSendsNumbersAsStrings(value) }
      if let value = arguments["require_pkce"].boolean { try tenant.setRequiresPKCE(value) }
      if let dialect = arguments["tasks_dialect"].string.flatMap(TaskDialect.init) {
        try tenant.setTasksDialect(dialect)
      }
      if let value = arguments["idempotency_keys"].boolean { try tenant.setHonorsIdempotencyKeys(value) }
      if let rate = arguments["task_rate"].integer { try tenant.setTaskRate(rate == 0 ? nil : Int(clamping: rate)) }
      if let value = arguments["implicit"].boolean {
        try tenant.setImplicit(enabled: value, forApplication: LocalTenant.nativeApplication.id)
      }
      if let uri = arguments["frontchannel_logout_uri"].string {
        try tenant.setFrontChannelLogoutURI(
          uri.isEmpty ? nil : uri, forApplication: LocalTenant.nativeApplication.id)
      }
      if let algorithm = arguments["signing_algorithm"].string.flatMap(SigningAlgorithm.init) {
        try tenant.setSigningAlgorithm(algorithm)
      }
    }
  }
}
