/// Changes the tenant's treatment of clients, until it stops; only the signing key is kept.
extension LocalTenant {
  /// Sets whether an application gets tokens from the authorization endpoint and by password; if not, AADB2C90057.
  /// - Throws: `unknown_application`.
  package func setImplicit(enabled: Bool, forApplication id: String) throws(TenantError) {
    let application = try Contoso.registeredApplication(id)
    try withEngine {
      if enabled {
        $0.behavior.applicationsWithoutImplicit.remove(application.id)
      } else {
        $0.behavior.applicationsWithoutImplicit.insert(application.id)
      }
    }
  }

  /// Requires a `code_challenge` in each request for a code. The tenant answers with AADB2C99059 if it is missing.
  package func setRequiresPKCE(_ isRequired: Bool) throws(TenantError) {
    try withEngine { $0.behavior.requiresPKCE = isRequired }
  }

  /// Sets whether each refresh returns a new refresh token (the default). If not, the first token stays valid.
  package func setRotatesRefreshTokens(_ rotates: Bool) throws(TenantError) {
    try withEngine { $0.behavior.rotatesRefreshTokens = rotates }
  }

  /// Sets the lifetimes of later tokens, in seconds: of access and ID tokens, and of refresh tokens. Nil keeps one.
  package func setLifetimes(accessToken: Int? = nil, refreshToken: Int? = nil) throws(TenantError) {
    for lifetime in [accessToken, refreshToken].compactMap(\.self) where !(1...Int(Int32.max)).contains(lifetime) {
      throw .invalid("argument", "a token's lifetime must be from 1 to \(Int32.max) seconds, not \(lifetime)")
    }
    try withEngine {
      if let accessToken { $0.behavior.accessTokenLifetime = accessToken }
      if let refreshToken { $0.behavior.refreshTokenLifetime = refreshToken }
    }
  }

  /// Selects whether `expires_in` and the other numbers of token responses are strings.
  package func setSendsNumbersAsStrings(_ sends: Bool) throws(TenantError) {
    try withEngine { $0.behavior.sendsNumbersAsStrings = sends }
  }

  /// Selects the server that the task API imitates. The tasks stay.
  package func setTasksDialect(_ dialect: TaskDialect) throws(TenantError) {
    try withEngine { $0.behavior.tasksDialect = dialect }
  }

  /// Selects whether the task API honors and echoes `Idempotency-Key`, which is the default, or ignores it.
  package func setHonorsIdempotencyKeys(_ honors: Bool) throws(TenantError) {
    try withEngine { $0.behavior.honorsIdempotencyKeys = honors }
  }

  /// Limits the task API's requests per second, with a burst of twice as many; others get 429. Nil means no limit.
  package func setTaskRate(_ rate: Int?) throws(TenantError) {
    if let rate, !(1...1_000_000).contains(rate) {
      throw .invalid("argument", "the task API's rate must be from 1 to 1000000 requests a second, not \(rate)")
    }
    try withEngine { $0.behavior.taskRate = rate }
  }

  /// Signs with a new key of this algorithm from now on and names the algorithm in the metadata. The previous key stays
  /// published until the next rotation.
  package func setSigningAlgorithm(_ algorithm: SigningAlgorithm) throws(TenantError) { try rotateKeys(to: algorithm) }

  /// Signs with a new key from now on. The previous key stays published until the next rotation.
  /// - Parameter algorithm: nil for the algorithm of the previous key.
  package func rotateKeys(to algorithm: SigningAlgorithm? = nil) throws(TenantError) {
    try withEngine {
      try $0.keys.rotate(to: algorithm)
      $0.bearer.forget()
    }
  }
}
