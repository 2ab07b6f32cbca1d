import JSON

extension NativeAuthentication {
  /// The number of seconds between two questions for the status of a reset.
  private static let pollInterval: JSON = 1

  /// `resetpassword/start`: names the user.
  func startReset(_ request: NativeRequest) throws -> [String: JSON] {
    let types = try request.challengeTypes()
    guard let user = try directory.find(request.required("username").trimmingSpaces) else {
      throw NativeError.unknownUser
    }
    guard user.hasPassword else {
      throw NativeError("invalid_request", 500_222, "The user does not have a password.")
    }
    guard types.contains("oob") else { throw Redirect() }
    let flow = NativeFlow(
      kind: .reset, clientID: request.client.id, username: user.username, userID: user.id, challengeTypes: types)
    return ["continuation_token": .string(flows.keep(flow))]
  }

  /// `resetpassword/continue`: the code.
  func continueReset(_ request: NativeRequest) throws -> [String: JSON] {
    let token = try request.required("continuation_token")
    var flow = try flows.flow(token, .reset, clientID: request.client.id, at: [.challenged])
    let grantType = try request.required("grant_type")
    guard grantType == "oob" else { throw NativeError.grant(grantType) }
    try check(request.required("oob"), flow, token)
    flows.end(token)
    flow.progress = .verified
    return [
      "expires_in": .integer(Int64(NativeFlows.lifetime)), "continuation_token": .string(flows.keep(flow)),
    ]
  }

  /// `resetpassword/submit`: the new password, which is stored when the client asks for the status.
  func submitPassword(_ request: NativeRequest) throws -> [String: JSON] {
    let token = try request.required("continuation_token")
    var flow = try flows.flow(token, .reset, clientID: request.client.id, at: [.verified])
    let password = try request.required("new_password")
    if let problem = NativeError.password(password) { throw problem }
    guard let user = try flow.userID.flatMap(directory.user(id:)), try !directory.isPassword(password, of: user) else {
      throw NativeError(
        "invalid_grant", nil, "The new password must not be the same as one recently used",
        suberror: "password_recently_used")
    }
    flows.end(token)
    flow.password = password
    flow.progress = .submitted
    return ["poll_interval": Self.pollInterval, "continuation_token": .string(flows.keep(flow))]
  }

  /// `resetpassword/poll_completion`: the status.
  func pollReset(_ request: NativeRequest, _ fault: NativeFault?) throws -> [String: JSON] {
    let token = try request.required("continuation_token")
    var flow = try flows.flow(token, .reset, clientID: request.client.id, at: [.submitted])
    flows.end(token)
    var status = "succeeded"
    switch fault {
    case .inProgress: status = "in_progress"
    case .failed:
      status = "failed"
      flow.progress = .verified
    default:
      guard let user = try flow.userID.flatMap(directory.user(id:)), let password = flow.password else {
        throw NativeError.invalidToken(.reset)
      }
      try directory.setPassword(password, of: user)
      flow.progress = .finished
    }
    return ["status": .string(status), "continuation_token": .string(flows.keep(flow))]
  }
}
