import JSON

extension TokenEndpoint {
  /// The password grant (RFC 6749 §4.3, B2C's ROPC), at its own policy. `response_type` selects the tokens. Without it
  /// the response has all tokens that the scope gives.
  func signIn(_ request: ClientRequest, _ address: PolicyAddress) throws -> JSON {
    guard address.policy.kind == .ropc else {
      throw ProtocolError(
        "unauthorized_client", "90224", "Resource owner flow has not been enabled for the application.")
    }
    let types = try responseTypes(request)
    let username = try request.form.required("username")
    let password = try request.form.required("password")
    let scope = try Scope(request.form["scope"] ?? "", client: request.client)
    if request.form["response_type"] != nil {
      guard scope.resource != nil || !types.contains("token") else { throw ProtocolError.noResource(scope.text) }
      guard scope.hasOpenID || !types.contains("id_token") else { throw ProtocolError.noIDToken(request.client) }
    }
    guard scope.resource != nil || scope.hasOpenID else { throw ProtocolError.noResource(scope.text) }
    let user: User
    switch try directory.authenticate(username, password: password) {
    case .success(let found): user = found
    case .wrongCredentials:
      throw ProtocolError(
        "access_denied", "90225", "The username or password provided in the request are invalid.")
    case .locked: throw ProtocolError("access_denied", "90114", DirectoryStore.lockedText)
    }
    let grant = GrantStore.Grant(
      clientID: request.client.id, userID: user.id, policy: address.policyID, scope: scope.text,
      event: SignInEvent(authTime: clock.now),
      nonce: request.form["nonce"])
    let family = GUID.random()
    return try tokens(
      Issue(
        grant: grant, client: request.client, address: address, scope: scope, family: family,
        refreshToken: try firstRefreshToken(grant, scope, family: family), types: types))
  }

  private func responseTypes(_ request: ClientRequest) throws(ProtocolError) -> Set<String> {
    guard let text = request.form["response_type"] else { return ["token", "id_token"] }
    let types = Set(text.split(separator: " ").map(String.init))
    guard !types.isEmpty, types.isSubset(of: ["token", "id_token"]) else {
      throw ProtocolError(
        "unsupported_response_type", "90013",
        "The requested response type '\(text)' provided in the request is not supported.")
    }
    guard !behavior.applicationsWithoutImplicit.contains(request.client.id) else { throw .implicitDisabled }
    return types
  }
}
