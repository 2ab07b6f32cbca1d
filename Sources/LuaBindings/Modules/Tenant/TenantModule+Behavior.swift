import HTTPServer
import HostLoop
import LocalTenant
import Lua

extension TenantModule {
  private nonisolated static let behaviorKeys: [Parameter] = [
    Parameter("access_token_lifetime", .integer, optional: true, "Seconds, of ID tokens too; 3600 at first."),
    Parameter("refresh_token_lifetime", .integer, optional: true, "Seconds; 14 days at first."),
    Parameter(
      "rotate_refresh_tokens", .boolean, optional: true,
      "true, as at first: each refresh gives a new refresh token, and an old one used again revokes the grant."),
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

  static let configure = action(
    "tenant.configure", "Changes how the tenant treats its clients from now on. Options that are not given stay.",
    .options(Self.behaviorKeys, required: true)
  ) { tenant, arguments in
    try tenant.setLifetimes(
      accessToken: arguments["access_token_lifetime"].integer.map { Int(clamping: $0) },
      refreshToken: arguments["refresh_token_lifetime"].integer.map { Int(clamping: $0) })
    if let value = arguments["rotate_refresh_tokens"].boolean { try tenant.setRotatesRefreshTokens(value) }
    if let value = arguments["numbers_as_strings"].boolean { try tenant.setSendsNumbersAsStrings(value) }
    if let value = arguments["require_pkce"].boolean { try tenant.setRequiresPKCE(value) }
    if let dialect = arguments["tasks_dialect"].string.flatMap(TaskDialect.init) { try tenant.setTasksDialect(dialect) }
    if let value = arguments["idempotency_keys"].boolean { try tenant.setHonorsIdempotencyKeys(value) }
    if let rate = arguments["task_rate"].integer { try tenant.setTaskRate(rate == 0 ? nil : Int(clamping: rate)) }
    if let value = arguments["implicit"].boolean {
      try tenant.setImplicit(enabled: value, forApplication: LocalTenant.nativeApplication.id)
    }
    if let uri = arguments["frontchannel_logout_uri"].string {
      try tenant.setFrontChannelLogoutURI(uri.isEmpty ? nil : uri, forApplication: LocalTenant.nativeApplication.id)
    }
    if let algorithm = arguments["signing_algorithm"].string.flatMap(SigningAlgorithm.init) {
      try tenant.setSigningAlgorithm(algorithm)
    }
  }

  nonisolated static let faultKeys: [Parameter] = [
    Parameter("method", .string, optional: true, "Any if not given."),
    Parameter("path", .string, optional: true, "The beginning of the path, or a pattern with *; any if not given."),
    Parameter(
      "status", .integer, optional: true, in: 0...999, "Respond with this status, without acting on the request."),
    Parameter(
      "aadb2c", .string, optional: true,
      "Respond with this error of B2C, such as AADB2C90244: at the token endpoint, or as a redirect."),
    Parameter("body", .string, optional: true, "The body of the response with the status."),
    Parameter(
      "headers", .map(of: .requestValue), optional: true, "Header fields of the response with the status, by name."),
    Parameter("times", .integer, optional: true, "The number of requests; 1 if not given, no limit with a share."),
    Parameter("every", .integer, optional: true, "A share of the matching requests: 3 is the third, the sixth, …"),
    Parameter("probability", .number, optional: true, "A share of the matching requests, by chance: from 0 to 1."),
    Parameter("seed", .integer, optional: true, in: -0x1p63...0x1p63, "The same seed makes the same choice by chance."),
    Parameter("delay", .number, optional: true, in: -0x1p53...86_400, "Seconds until the response."),
    Parameter(
      "drop", .either([.boolean, .choice(["request", "before", "middle"])]), optional: true,
      "Break the connection. \"request\": the request is lost and not acted on; true or \"before\": before the response; "
        + "\"middle\": within the response."),
    Parameter("reset", .boolean, optional: true, "true: drop resets the connection, in place of closing it."),
  ]

  static func fault(_ arguments: Arguments) throws -> TenantFault {
    if let times = arguments["times"].integer, times < 1 {
      throw arguments.failure(option: "times", "expected at least 1, got \(times)")
    }
    if let delay = arguments["delay"].number, delay < 0 {
      throw arguments.failure(option: "delay", "expected zero or more seconds, got \(delay)")
    }
    let drop = arguments["drop"].isTrue ? arguments["drop"].string ?? "before" : nil
    if drop == nil, arguments["reset"].isTrue {
      throw arguments.failure(option: "reset", "expected the option 'drop' with it")
    }
    let share = try share(arguments)
    return TenantFault(
      method: arguments["method"].string, path: arguments["path"].string,
      status: arguments["status"].integer.map { Int($0) }, body: arguments["body"].string,
      headers: try HTTPRequestOptions.fields(arguments, "headers"),
      times: arguments["times"].integer.map { Int(clamping: $0) } ?? (share == nil ? 1 : nil), share: share,
      delay: arguments["delay"].number ?? 0, drop: drop.map { $0 == "middle" ? .midResponse : .beforeResponse },
      isReset: arguments["reset"].isTrue, losesRequest: drop == "request", errorCode: arguments["aadb2c"].string)
  }

  private static func share(_ arguments: Arguments) throws -> TenantFault.Share? {
    let seed = arguments["seed"].integer
    switch (arguments["every"].integer, arguments["probability"].number) {
    case (let count?, nil) where seed == nil: return .every(Int(clamping: count))
    case (nil, let probability?): return .probability(probability, seed: UInt64(bitPattern: seed ?? 0))
    case (nil, nil) where seed == nil: return nil
    case (.some, .some): throw arguments.failure("options 'every' and 'probability': expected only one of them")
    default: throw arguments.failure(option: "seed", "expected the option 'probability' with it")
    }
  }
}
