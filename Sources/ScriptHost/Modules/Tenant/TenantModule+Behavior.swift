import Automation
import Core
import HTTPServer
import HostLoop
import LocalTenant
import Lua
import LuaKit

extension TenantModule {
  static let configure = ModuleFunction<Self> { module in
    HostFunction(
      "tenant.configure",
      "Changes the behavior of the tenant from now on. Options that are not given keep their values.",
      [.options(BehaviorOptions.keys, required: true)]
    ) { arguments in
      let options = try BehaviorOptions(arguments)
      try CurrentTape.paused { try configure(module.running("tenant.configure"), options) }
      if options.kind != nil || options.profile != nil { module.host.session.forgetSettings() }
      return []
    }
  }

  private static func configure(_ tenant: LocalTenant, _ options: BehaviorOptions) throws {
    if let kind = options.kind { try tenant.setKind(kind) }
    if let name = options.profile { try tenant.setProfile(TenantProfile(rawValue: name)) }
    if let method = options.nativeMethod { try tenant.setNativeMethod(method) }
    if let attributes = options.attributes {
      try tenant.setSignUpAttributes(Dictionary(attributes) { _, last in last })
    }
    try tenant.setLifetimes(
      accessToken: options.tokens.accessTokenLifetime,
      refreshToken: options.tokens.refreshTokenLifetime)
    if let value = options.tokens.rotates { try tenant.setRotatesRefreshTokens(value) }
    if let value = options.tokens.numbersAsStrings { try tenant.setSendsNumbersAsStrings(value) }
    if let audience = options.client.audience {
      try tenant.setAssertionAudience(audience)
    }
    if let name = options.tokens.mayAct { try tenant.setMayAct(name.isEmpty ? nil : name) }
    if let value = options.client.requiresPKCE { try tenant.setRequiresPKCE(value) }
    if let dialect = options.tasks.dialect { try tenant.setTasksDialect(dialect) }
    if let value = options.tasks.honorsKeys { try tenant.setHonorsIdempotencyKeys(value) }
    if let rate = options.tasks.taskRate { try tenant.setTaskRate(rate == 0 ? nil : rate) }
    if let value = options.client.isImplicit {
      try tenant.setImplicit(enabled: value, forApplication: LocalTenant.nativeApplication.id)
    }
    if let uri = options.client.logoutURI {
      try tenant.setFrontChannelLogoutURI(uri.isEmpty ? nil : uri, forApplication: LocalTenant.nativeApplication.id)
    }
    if let algorithm = options.tokens.algorithm {
      try tenant.setSigningAlgorithm(algorithm)
    }
  }

  static func fault(_ arguments: Arguments) throws -> TenantFault {
    let options = try FaultOptions(arguments)
    var fault = options.fault
    if options.drop == nil, fault.isReset {
      throw arguments.failure(option: "reset", "expected the option 'drop' with it")
    }
    fault.share = try options.share(arguments)
    fault.times = options.times ?? (fault.share == nil && fault.proof != .endlessNonce ? 1 : nil)
    fault.drop = options.drop.map { $0 == "middle" ? .midResponse : .beforeResponse }
    fault.losesRequest = options.drop == "request"
    return fault
  }
}

/// The options of `tenant.configure`.
private struct BehaviorOptions: LuaOptions {
  struct Tokens: Sendable {
    var accessTokenLifetime: Int?
    var refreshTokenLifetime: Int?
    var rotates: Bool?
    var numbersAsStrings: Bool?
    var algorithm: SigningAlgorithm?
    var mayAct: String?
  }

  struct Client: Sendable {
    var audience: AssertionAudience?
    var logoutURI: String?
    var requiresPKCE: Bool?
    var isImplicit: Bool?
  }

  struct Tasks: Sendable {
    var dialect: TaskDialect?
    var honorsKeys: Bool?
    var taskRate: Int?
  }

  var tokens = Tokens()
  var client = Client()
  var tasks = Tasks()
  var kind: TenantKind?
  var nativeMethod: NativeMethod?
  var attributes: [(String, String)]?
  var profile: String?

  static let fields: [Field] = [
    .init(
      "access_token_lifetime", \.tokens.accessTokenLifetime,
      "The lifetime of access tokens and ID tokens in seconds; 3600 by default."),
    .init(
      "refresh_token_lifetime", \.tokens.refreshTokenLifetime,
      "The lifetime of refresh tokens in seconds; 14 days by default."),
    .init(
      "rotate_refresh_tokens", \.tokens.rotates,
      "true (the default): each refresh issues a new refresh token, and a second use of an old refresh token "
        + "revokes the grant."),
    .init(
      "numbers_as_strings", \.tokens.numbersAsStrings,
      "true: token responses contain numbers as strings, as at some providers."),
    .init(
      "require_pkce", \.client.requiresPKCE, "true: an authorization request for a code must have a code challenge."),
    .choice(
      "assertion_audience", \.client.audience,
      "The audience that client assertions must have: \"issuer\", \"endpoint\" (the endpoint's address), or \"any\" of them "
        + "(the default)."),
    .choice(
      "signing_algorithm", \.tokens.algorithm,
      "The signature algorithm of new tokens. The tenant makes a new key for it."),
    .init(
      "frontchannel_logout_uri", \.client.logoutURI,
      "The front-channel logout URI of the native application, on this machine; \"\" (the default) for none."),
    .choice(
      "tasks_dialect", \.tasks.dialect,
      "The server that the task API imitates: \"dotnet\" (the default), or \"node\", which lists only the 20 "
        + "oldest tasks."
    ),
    .init(
      "idempotency_keys", \.tasks.honorsKeys, "true (the default): the task API honors and echoes Idempotency-Key."),
    .init(
      "task_rate", \.tasks.taskRate,
      "The maximum number of requests per second at the task API, and twice as many in a burst; 0 (the default) "
        + "for no limit."),
    .init(
      "implicit", \.client.isImplicit,
      "true (the default): the native application may use the implicit flow and the grant password."),
    .choice(
      "kind", \.kind,
      "The kind of the directory, and of b2c.settings: \"b2c\" (the default) or \"external_id\"."),
    .choice(
      "native_method", \.nativeMethod,
      "The method of native authentication: \"password\" (the default) or \"code\"."),
    .init(
      "sign_up_attributes", \.attributes, .map(of: .string),
      "The attributes that a native sign-up requires: a regular expression by name, or \"\" for any text. The default is "
        + "displayName."
    ) { try HTTPRequestOptions.fields($0, $1) },
    .init(
      "may_act", \.tokens.mayAct,
      "The only party that may act for the users of new access tokens in a token exchange: a user name or client ID; \"\" (the "
        + "default) for no such claim."),
    .init(
      "profile", \.profile, .choice(TenantProfile.allCases.map(\.rawValue) + ["none"]),
      "The profile that the tenant enforces: \"oauth2.1\", \"fapi2\", or \"none\" (the default). With \"fapi2\", b2c.settings are "
        + "those of an application with a key."),
  ]
}

/// The options of `tenant.fault`.
struct FaultOptions: LuaOptions {
  fileprivate var fault = TenantFault()
  fileprivate var times: Int?
  fileprivate var every: Int?
  private var probability: Double?
  private var seed: Int64?
  /// The moment at which the connection breaks.
  fileprivate var drop: String?

  static let fields: [Field] = [
    .choice(
      "mtls", \.fault.mtls, "Give this wrong token or metadata to the next client with a certificate."),
    .choice("jarm", \.fault.jarm, "Give this signed response to the next authorization request."),
    .choice("iss", \.fault.iss, "Give this iss to the next authorization request (RFC 9207)."),
    .choice("par", \.fault.par, "Give this answer to the next pushed authorization request."),
    .choice(
      "request_object", \.fault.requestObject, "Give this answer to the next request object (RFC 9101)."),
    .choice(
      "authorization_details", \.fault.details,
      "Give these authorization_details in the next token response (RFC 9396): none, or more than the requested ones."),
    .choice(
      "native", \.fault.native,
      "Give this answer of native authentication, at the next request that can have it."),
    .choice(
      "dpop", \.fault.proof,
      "Give this answer to the next request with a DPoP proof. endless_nonce stays until clear_faults."),
    .init("method", \.fault.method, "The method; any method if not given."),
    .init("path", \.fault.path, "The beginning of the path, or a pattern with *; any path if not given."),
    .init("status", \.fault.status, in: 0...999, "Respond with this status, and do not process the request."),
    .init(
      "aadb2c", \.fault.errorCode,
      "Respond with this error of B2C, such as AADB2C90244: at the token endpoint, or as a redirect."
    ),
    .init("body", \.fault.body, "The body of the response with the status."),
    .init(
      "headers", \.fault.headers, .map(of: .requestValue), "Header fields of the response with the status, by name."
    ) { try HTTPRequestOptions.fields($0, $1) },
    .init(
      "times", \.times, .integer,
      "The number of requests that fail; 1 if not given, or no limit with every or probability."
    ) { value, place in
      guard let times = value.integer, times >= 1 else {
        throw place.failure("expected at least 1, got \(value.integer ?? 0)")
      }
      return Int(times)
    },
    .init("every", \.every, "Only some of the matching requests: 3 selects the third, the sixth, …"),
    .init("probability", \.probability, "The probability that a matching request fails, from 0 to 1."),
    .init(
      "seed", \.seed, .integer, in: -0x1p63...0x1p63,
      "The seed of the random choice. The same seed makes the same choice."
    ) { value, _ in value.integer },
    .init("delay", \.fault.delay, .number, in: -0x1p53...86_400, "The delay of the response in seconds.") {
      value, place in
      guard let delay = value.number, delay >= 0 else {
        throw place.failure("expected zero or more seconds, got \(value.number ?? 0)")
      }
      return delay
    },
    .init(
      "drop", \.drop, .either([.boolean, .choice(["request", "before", "middle"])]),
      "Break the connection. \"request\": before the tenant processes the request; true or \"before\": before "
        + "the response; \"middle\": within the response."
    ) { value, _ in value.isTrue ? value.string ?? "before" : nil },
    .init("reset", \.fault.isReset, "true: drop resets the connection instead of closing it."),
    .choice("introspection", \.fault.introspection, "Give this answer to the next introspection."),
    .choice("userinfo", \.fault.userinfo, "Give this answer to the next request for userinfo."),
    .choice("exchange", \.fault.exchange, "Give this answer to the next token exchange."),
  ]

  fileprivate func share(_ arguments: Arguments) throws -> TenantFault.Share? {
    switch (every, probability) {
    case (let count?, nil) where seed == nil: return .every(count)
    case (nil, let probability?): return .probability(probability, seed: UInt64(bitPattern: seed ?? 0))
    case (nil, nil) where seed == nil: return nil
    case (.some, .some): throw arguments.failure("options 'every' and 'probability': expected only one of them")
    default: throw arguments.failure(option: "seed", "expected the option 'probability' with it")
    }
  }
}
