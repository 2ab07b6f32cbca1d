import JSON

extension NativeAuthentication {
  /// `initiate`: names the user.
  func startSignIn(_ request: NativeRequest) throws -> [String: JSON] {
    let types = try request.challengeTypes()
    guard let user = try directory.find(request.required("username").trimmingSpaces) else {
      throw NativeError.unknownUser
    }
    guard types.contains(method(of: user).challengeType) else { throw Redirect() }
    let flow = NativeFlow(
      kind: .signIn, clientID: request.client.id, username: user.username, userID: user.id, challengeTypes: types)
    return ["continuation_token": .string(flows.keep(flow))]
  }

  /// The token endpoint: a password or a code for the end of a sign-in, or the continuation token alone behind a sign-up
  /// or a reset.
  func redeem(_ request: NativeRequest, _ fault: NativeFault?) throws -> [String: JSON] {
    let grantType = try request.required("grant_type")
    guard ["password", "oob", "continuation_token"].contains(grantType) else {
      throw NativeError("unsupported_grant_type", 70_003, "The grant_type '\(grantType)' is not supported.")
    }
    let token = try request.required("continuation_token")
    let flow = try flow(token, grantType, request)
    _ = try request.required("scope")
    let scope = try request.clientRequest.scope()
    let user = try user(of: flow, token, grantType, request)
    if let fault, let suberror = [.mfaRequired, .registrationRequired].contains(fault) ? fault.rawValue : nil {
      throw NativeError(
        "invalid_grant", 50_076, "The user has to use a second factor.", suberror: suberror,
        members: ["continuation_token": .string(token)])
    }
    // The program cannot ask for a second factor yet, as no request names the capability.
    guard user.otp == nil else { throw Redirect(reason: "Client is missing mfa_required capability") }
    flows.end(token)
    let grant = GrantStore.Grant(
      clientID: request.client.id, userID: user.id, policy: request.address.policyID, scope: scope.text,
      event: SignInEvent(authTime: clock.now))
    return try tokens.tokens(request.clientRequest, grant, scope).object ?? [:]
  }

  private func flow(_ token: String, _ grantType: String, _ request: NativeRequest) throws(NativeError) -> NativeFlow {
    guard grantType == "continuation_token" else {
      return try flows.flow(token, .signIn, clientID: request.client.id, at: [.challenged])
    }
    do {
      return try flows.flow(token, .signUp, clientID: request.client.id, at: [.finished])
    } catch {
      guard error.error != NativeError.expiredToken.error else { throw error }
      return try flows.flow(token, .reset, clientID: request.client.id, at: [.finished])
    }
  }

  private func user(
    of flow: NativeFlow, _ token: String, _ grantType: String, _ request: NativeRequest
  ) throws -> User {
    guard let user = try flow.userID.flatMap(directory.user(id:)) else { throw NativeError.unknownUser }
    switch grantType {
    case "password":
      guard method(of: user) == .password else { throw NativeError.grant(grantType) }
      switch try directory.authenticate(user.username, password: request.required("password")) {
      case .success: break
      case .wrongCredentials: throw NativeError.wrongPassword
      case .locked: throw NativeError.locked
      }
    case "oob":
      guard flow.code != nil else { throw NativeError.grant(grantType) }
      guard try !directory.isLocked(user) else { throw NativeError.locked }
      try check(request.required("oob"), flow, token)
    default:
      if flow.kind == .signUp, try request.required("username").lowercased() != flow.username.lowercased() {
        throw NativeError("invalid_request", nil, "The username is not that of the sign-up.")
      }
    }
    return user
  }
}
