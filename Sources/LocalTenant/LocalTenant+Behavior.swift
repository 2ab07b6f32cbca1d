/// How the tenant treats its clients, for tests of them. It lasts until the tenant stops, but for the signing key.
extension LocalTenant {
  /// Whether an application may get tokens from the authorization endpoint and by password; else AADB2C90057.
  /// - Throws: `unknown_application`.
  package func setImplicit(enabled: Bool, forApplication id: String) throws(TenantError) {
    guard let application = Contoso.application(id) else {
      throw TenantError(
        code: "unknown_application", message: "the local tenant has no application \(id)",
        hint: "it has \(Contoso.applications.map(\.id).joined(separator: " and "))")
    }
    try withEngine {
      if enabled {
        $0.behavior.applicationsWithoutImplicit.remove(application.id)
      } else {
        $0.behavior.applicationsWithoutImplicit.insert(application.id)
      }
    }
  }

  /// Whether a request for a code needs a `code_challenge`; else AADB2C99059.
  package func setRequiresPKCE(_ isRequired: Bool) throws(TenantError) {
    try withEngine { $0.behavior.requiresPKCE = isRequired }
  }

  /// Whether each refresh gives a new refresh token, as it does at first; else the first one stays good, and the answer to
  /// a refresh has none.
  package func setRotatesRefreshTokens(_ rotates: Bool) throws(TenantError) {
    try withEngine { $0.behavior.rotatesRefreshTokens = rotates }
  }

  /// How long what is issued from now on is good, in seconds; nil leaves it.
  /// - Parameter accessToken: of ID tokens, too.
  package func setLifetimes(accessToken: Int? = nil, refreshToken: Int? = nil) throws(TenantError) {
    for lifetime in [accessToken, refreshToken].compactMap(\.self) where !(1...Int(Int32.max)).contains(lifetime) {
      throw TenantError(
        code: "invalid_argument", message: "a token's lifetime must be from 1 to \(Int32.max) seconds, not \(lifetime)")
    }
    try withEngine {
      if let accessToken { $0.behavior.accessTokenLifetime = accessToken }
      if let refreshToken { $0.behavior.refreshTokenLifetime = refreshToken }
    }
  }

  /// Whether `expires_in` and the other numbers of token responses are strings.
  package func setSendsNumbersAsStrings(_ sends: Bool) throws(TenantError) {
    try withEngine { $0.behavior.sendsNumbersAsStrings = sends }
  }

  /// Which server the task API is like. The tasks stay.
  package func setTasksDialect(_ dialect: TaskDialect) throws(TenantError) {
    try withEngine { $0.behavior.tasksDialect = dialect }
  }

  /// Whether the task API honors and echoes `Idempotency-Key`, as it does at first; else it takes no notice of it.
  package func setHonorsIdempotencyKeys(_ honors: Bool) throws(TenantError) {
    try withEngine { $0.behavior.honorsIdempotencyKeys = honors }
  }

  /// How many requests a second the task API takes, with twice as many at once; the others get 429.
  /// - Parameter rate: nil for any number, as at first.
  package func setTaskRate(_ rate: Int?) throws(TenantError) {
    if let rate, !(1...1_000_000).contains(rate) {
      throw TenantError(
        code: "invalid_argument",
        message: "the task API's rate must be from 1 to 1000000 requests a second, not \(rate)")
    }
    try withEngine { $0.behavior.taskRate = rate }
  }

  /// Signs with a new key of that algorithm from now on, and says so in the metadata. The last key is published until the
  /// next rotation.
  package func setSigningAlgorithm(_ algorithm: SigningAlgorithm) throws(TenantError) {
    try withEngine {
      try $0.keys.rotate(to: algorithm)
      $0.bearer.forget()
    }
  }
}
