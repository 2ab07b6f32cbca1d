extension LocalTenant {
  /// Adds a user. By default the email address is the user name, if it is an address, else at contoso.example, and the
  /// display name is the user name.
  /// - Parameter otp: the secret of an authenticator app (Base32, RFC 4648 §6), which every policy with pages then
  ///   uses.
  /// - Parameter phone: `+15550100`. The policy with a second factor sends its codes there.
  /// - Throws: `user_exists`, `invalid_user`.
  @discardableResult
  package func addUser(
    username: String, password: String, displayName: String? = nil, email: String? = nil, otp: String? = nil,
    phone: String? = nil
  ) throws(TenantError) -> User {
    try withEngine {
      try $0.directory.add(username, password: password, email: email, displayName: displayName, otp: otp, phone: phone)
    }
  }

  /// Removes a user, by user name or email address, and all the user's tasks.
  /// - Throws: `unknown_user`.
  package func removeUser(_ username: String) throws(TenantError) {
    try withEngine { try $0.directory.remove($0.user(username)) }
  }

  /// Returns a code of the user's authenticator app that a sign-in accepts now. It is the current code, or the next one
  /// if the current code was used.
  /// - Throws: `unknown_user`; `no_otp` if the user has no authenticator app; `otp_used` if both codes were used.
  package func otpCode(of username: String) throws(TenantError) -> String {
    try withEngine { try $0.directory.currentCode(of: $0.user(username)) }
  }

  /// The last thousand messages that a real tenant would have sent, newest last.
  package func outbox() throws(TenantError) -> [TenantMessage] { try withEngine { $0.postOffice.outbox.all } }

  /// Sets or removes the loopback URL that the browser loads in a frame when a session ends (OpenID Connect
  /// Front-Channel Logout 1.0). ID tokens for the application then have `sid`.
  /// - Throws: `unknown_application`, `invalid_uri`.
  package func setFrontChannelLogoutURI(_ uri: String?, forApplication clientID: String) throws(TenantError) {
    let application = try Contoso.registeredApplication(clientID)
    try withEngine { try $0.directory.setFrontChannelLogoutURI(uri, of: application) }
  }

  /// Adds a fault. If several faults are planned, a request gets the first one that matches.
  package func addFault(_ fault: TenantFault) throws(TenantError) {
    try fault.check()
    guard try withEngine({ $0.faults.add(fault) }) else {
      throw TenantError(
        code: "too_many_faults",
        message: "\(FaultPlan.most) faults wait for their requests, which is as many as can be",
        hint: "tenant.clear_faults() forgets them; one fault with times = N happens to N requests")
    }
  }

  /// Removes the faults that have not happened.
  package func clearFaults() throws(TenantError) { try withEngine { $0.faults.clear() } }

  /// Lets time pass: existing codes, tokens and sessions grow older by this number of seconds. Later ones are new.
  package func advance(seconds: Int) throws(TenantError) {
    guard seconds >= 0 else { throw .invalid("argument", "the tenant's clock does not go back: \(seconds) seconds") }
    guard seconds <= 1 << 32 else {
      throw .invalid("argument", "the tenant's clock does not go that far: \(seconds) seconds")
    }
    try withEngine { try $0.clock.advance(seconds) }
  }

  /// The last thousand requests, oldest first.
  package func requests() throws(TenantError) -> [TenantRequest] { try withEngine { $0.log.all } }

  /// The number of requests since the start, of the requests that a fault happened to, and of the current tasks.
  package func totals() throws(TenantError) -> (requests: Int, faults: Int, tasks: Int) {
    try withEngine { ($0.log.total, $0.faults.happened, try $0.tasks.count()) }
  }

  /// The tasks of a user (user name or email address) or of an application (its ID).
  /// - Throws: `unknown_user`.
  package func tasks(of name: String) throws(TenantError) -> [TenantTask] {
    try withEngine { try $0.tasks.list(Contoso.application(name)?.id ?? $0.user(name).id) }
  }
}

extension Engine {
  /// - Throws: `unknown_user`.
  fileprivate func user(_ name: String) throws -> User {
    if let user = try directory.find(name) { return user }
    throw TenantError(code: "unknown_user", message: "the local tenant has no user \(name)")
  }
}
