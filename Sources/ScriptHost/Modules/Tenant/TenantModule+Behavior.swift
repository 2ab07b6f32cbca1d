import Automation
import HTTPServer
import HostLoop
import LocalTenant
import Lua
import LuaKit

extension TenantModule {
  private nonisolated static let behaviorKeys: [Parameter] = [
    .optional(
      "access_token_lifetime", .integer, "The lifetime of access tokens and ID tokens in seconds; 3600 by default."),
    .optional("refresh_token_lifetime", .integer, "The lifetime of refresh tokens in seconds; 14 days by default."),
    .optional(
      "rotate_refresh_tokens", .boolean,
      "true (the default): each refresh issues a new refresh token, and a second use of an old refresh token "
        + "revokes the grant."),
    .optional(
      "numbers_as_strings", .boolean, "true: token responses contain numbers as strings, as at some providers."),
    .optional("require_pkce", .boolean, "true: an authorization request for a code must have a code challenge."),
    .optional(
      "assertion_audience", .choice(AssertionAudience.allCases.map(\.rawValue)),
      "The audience that client assertions must have: \"issuer\", \"endpoint\" (the endpoint's address), or \"any\" of them "
        + "(the default)."),
    .optional(
      "signing_algorithm", .choice(SigningAlgorithm.allCases.map(\.rawValue)),
      "The signature algorithm of new tokens. The tenant makes a new key for it."),
    .optional(
      "frontchannel_logout_uri", .string,
      "The front-channel logout URI of the native application, on this machine; \"\" (the default) for none."),
    .optional(
      "tasks_dialect", .choice(TaskDialect.allCases.map(\.rawValue)),
      "The server that the task API imitates: \"dotnet\" (the default), or \"node\", which lists only the 20 "
        + "oldest tasks."
    ), .optional("idempotency_keys", .boolean, "true (the default): the task API honors and echoes Idempotency-Key."),
    .optional(
      "task_rate", .integer,
      "The maximum number of requests per second at the task API, and twice as many in a burst; 0 (the default) "
        + "for no limit."),
    .optional(
      "implicit", .boolean,
      "true (the default): the native application may use the implicit flow and the grant password."),
    Parameter(
      "kind", .choice(TenantKind.allCases.map(\.rawValue)), optional: true,
      "The kind of the directory, and of b2c.settings: \"b2c\" (the default) or \"external_id\"."),
    Parameter(
      "native_method", .choice(NativeMethod.allCases.map(\.rawValue)), optional: true,
      "The method of native authentication: \"password\" (the default) or \"code\"."),
    Parameter(
      "sign_up_attributes", .map(of: .string), optional: true,
      "The attributes that a native sign-up requires: a regular expression by name, or \"\" for any text. The default is "
        + "displayName."),
    .optional(
      "may_act", .string,
      "The only party that may act for the users of new access tokens in a token exchange: a user name or client ID; \"\" (the "
        + "default) for no such claim."),
    Parameter(
      "profile", .choice(TenantProfile.allCases.map(\.rawValue) + ["none"]), optional: true,
      "The profile that the tenant enforces: \"oauth2.1\", \"fapi2\", or \"none\" (the default). With \"fapi2\", b2c.settings are "
        + "those of an application with a key."),
  ]

  static let configure = ModuleFunction<Self> { module in
    HostFunction(
      "tenant.configure",
      "Changes the behavior of the tenant from now on. Options that are not given keep their values.",
      [.options(Self.behaviorKeys, required: true)]
    ) { arguments in
      try configure(module.running("tenant.configure"), arguments)
      if !arguments["kind"].isNil || !arguments["profile"].isNil { module.host.session.forgetSettings() }
      return []
    }
  }

  private static func configure(_ tenant: LocalTenant, _ arguments: Arguments) throws {
    if let kind = arguments["kind"].string.flatMap(TenantKind.init) { try tenant.setKind(kind) }
    if let name = arguments["profile"].string { try tenant.setProfile(TenantProfile(rawValue: name)) }
    if let method = arguments["native_method"].string.flatMap(NativeMethod.init) { try tenant.setNativeMethod(method) }
    if !arguments["sign_up_attributes"].isNil {
      let fields = try HTTPRequestOptions.fields(arguments, "sign_up_attributes")
      try tenant.setSignUpAttributes(Dictionary(fields) { _, last in last })
    }
    try tenant.setLifetimes(
      accessToken: arguments["access_token_lifetime"].integer.map { Int(clamping: $0) },
      refreshToken: arguments["refresh_token_lifetime"].integer.map { Int(clamping: $0) })
    if let value = arguments["rotate_refresh_tokens"].boolean { try tenant.setRotatesRefreshTokens(value) }
    if let value = arguments["numbers_as_strings"].boolean { try tenant.setSendsNumbersAsStrings(value) }
    if let audience = arguments["assertion_audience"].string.flatMap(AssertionAudience.init) {
      try tenant.setAssertionAudience(audience)
    }
    if let name = arguments["may_act"].string { try tenant.setMayAct(name.isEmpty ? nil : name) }
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
    requestFault(
      "mtls", CertificateFault.self, "Give this wrong token or metadata to the next client with a certificate."),
    requestFault("jarm", SignedAnswerFault.self, "Give this signed response to the next authorization request."),
    requestFault("iss", IssuerFault.self, "Give this iss to the next authorization request (RFC 9207)."),
    requestFault("par", PushedRequestFault.self, "Give this answer to the next pushed authorization request."),
    requestFault(
      "request_object", RequestObjectFault.self, "Give this answer to the next request object (RFC 9101)."),
    requestFault(
      "authorization_details", RichDetailsFault.self,
      "Give these authorization_details in the next token response (RFC 9396): none, or more than the requested ones."),
    .optional(
      "native", .choice(NativeFault.allCases.map(\.rawValue)),
      "Give this answer of native authentication, at the next request that can have it."),
    .optional(
      "dpop", .choice(ProofFault.allCases.map(\.rawValue)),
      "Give this answer to the next request with a DPoP proof. endless_nonce stays until clear_faults."),
    .optional("method", .string, "The method; any method if not given."),
    .optional("path", .string, "The beginning of the path, or a pattern with *; any path if not given."),
    .optional("status", .integer, in: 0...999, "Respond with this status, and do not process the request."),
    .optional(
      "aadb2c", .string, "Respond with this error of B2C, such as AADB2C90244: at the token endpoint, or as a redirect."
    ), .optional("body", .string, "The body of the response with the status."),
    .optional("headers", .map(of: .requestValue), "Header fields of the response with the status, by name."),
    .optional(
      "times", .integer, "The number of requests that fail; 1 if not given, or no limit with every or probability."),
    .optional("every", .integer, "Only some of the matching requests: 3 selects the third, the sixth, …"),
    .optional("probability", .number, "The probability that a matching request fails, from 0 to 1."),
    .optional(
      "seed", .integer, in: -0x1p63...0x1p63, "The seed of the random choice. The same seed makes the same choice."),
    .optional("delay", .number, in: -0x1p53...86_400, "The delay of the response in seconds."),
    .optional(
      "drop", .either([.boolean, .choice(["request", "before", "middle"])]),
      "Break the connection. \"request\": before the tenant processes the request; true or \"before\": before "
        + "the response; \"middle\": within the response."),
    .optional("reset", .boolean, "true: drop resets the connection instead of closing it."),
    requestFault("introspection", IntrospectionFault.self, "Give this answer to the next introspection."),
    requestFault("userinfo", UserinfoFault.self, "Give this answer to the next request for userinfo."),
    requestFault("exchange", ExchangeFault.self, "Give this answer to the next token exchange."),
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
    let proof = arguments["dpop"].string.flatMap(ProofFault.init)
    var fault = TenantFault(
      method: arguments["method"].string, path: arguments["path"].string,
      status: arguments["status"].integer.map { Int($0) }, body: arguments["body"].string,
      headers: try HTTPRequestOptions.fields(arguments, "headers"),
      times: arguments["times"].integer.map { Int(clamping: $0) } ?? (share == nil && proof != .endlessNonce ? 1 : nil),
      share: share,
      delay: arguments["delay"].number ?? 0, drop: drop.map { $0 == "middle" ? .midResponse : .beforeResponse },
      isReset: arguments["reset"].isTrue, losesRequest: drop == "request", errorCode: arguments["aadb2c"].string,
      native: arguments["native"].string.flatMap(NativeFault.init), proof: proof)
    fault.readRequestFaults(arguments)
    fault.readTokenFaults(arguments)
    return fault
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
