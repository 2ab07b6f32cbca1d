import JSON

extension TokenEndpoint {
  /// The password grant (RFC 6749 §4.3, ROPC), at its own policy. `response_type` selects the tokens, else the scope.
  func signIn(_ request: ClientRequest) throws -> JSON {
    guard request.address.policy.kind == .ropc else { throw ProtocolError(90224) }
    let types = try responseTypes(request)
    let username = try request.form.required("username")
    let password = try request.form.required("password")
    let scope = try request.scope()
    if request.form["response_type"] != nil {
      guard scope.resource != nil || !types.contains("token") else { throw ProtocolError.noResource(scope.text) }
      guard scope.hasOpenID || !types.contains("id_token") else { throw ProtocolError(90107, request.client.id) }
    }
    guard scope.resource != nil || scope.hasOpenID else { throw ProtocolError.noResource(scope.text) }
    switch try directory.authenticate(username, password: password) {
    case .wrongCredentials: throw ProtocolError(90225)
    case .locked: throw ProtocolError(90114)
    case .success(let user):
      let grant = GrantStore.Grant(
        clientID: request.client.id, userID: user.id, policy: request.address.policyID, scope: scope.text,
        event: SignInEvent(authTime: clock.now, opened: clock.elapsed), nonce: request.form["nonce"],
        resources: try RequestedResources(request.form.resources, scope, origin: request.address.origin).uris,
        details: request.form["authorization_details"])
      return try tokens(request, grant, scope, types: types)
    }
  }

  private func responseTypes(_ request: ClientRequest) throws(ProtocolError) -> Set<String> {
    guard let text = request.form["response_type"] else { return ["token", "id_token"] }
    let types = Set(request.form.words("response_type"))
    guard !types.isEmpty, types.isSubset(of: ["token", "id_token"]) else { throw ProtocolError(90013, text) }
    guard !behavior.applicationsWithoutImplicit.contains(request.client.id) else { throw ProtocolError(90057) }
    return types
  }
}
