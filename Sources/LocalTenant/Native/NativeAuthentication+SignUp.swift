import JSON

extension NativeAuthentication {
  /// `signup/start`: names the new user, and perhaps the password and attributes.
  func startSignUp(_ request: NativeRequest) throws -> [String: JSON] {
    let types = try request.challengeTypes()
    let username = try request.required("username").trimmingSpaces
    let parts = username.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), username.utf8.count <= 128,
      !username.contains(where: \.isWhitespace)
    else {
      throw NativeError("invalid_request", 90_100, "username parameter is empty or not valid.")
    }
    guard try directory.find(username) == nil else { throw NativeError.userExists }
    guard types.contains("oob"), behavior.nativeMethod == .code || types.contains("password") else { throw Redirect() }
    var flow = NativeFlow(
      kind: .signUp, clientID: request.client.id, username: username, userID: nil, challengeTypes: types)
    if let password = request.form["password"] { flow.password = try accepted(password) }
    flow.attributes = try request.attributes(behavior.signUpAttributes)
    return ["continuation_token": .string(flows.keep(flow))]
  }

  /// `signup/continue`: the code, the password or the attributes, in any order.
  func continueSignUp(_ request: NativeRequest) throws -> [String: JSON] {
    let token = try request.required("continuation_token")
    var flow = try flows.flow(token, .signUp, clientID: request.client.id, at: [.challenged, .verified])
    switch try request.required("grant_type") {
    case "oob":
      guard flow.progress == .challenged else { throw NativeError.grant("oob") }
      try check(request.required("oob"), flow, token)
      flow.progress = .verified
    case "password":
      guard behavior.nativeMethod == .password else { throw NativeError.grant("password") }
      flow.password = try accepted(request.required("password"))
    case "attributes":
      _ = try request.required("attributes")
      flow.attributes.merge(try request.attributes(behavior.signUpAttributes)) { _, new in new }
    case let other: throw NativeError.grant(other)
    }
    flows.end(token)
    guard flow.progress == .verified else { return ["continuation_token": .string(flows.keep(flow))] }
    try demandRest(flow)
    flow.userID = try addUser(flow).id
    flow.progress = .finished
    return ["continuation_token": .string(flows.keep(flow))]
  }

  func needsPassword(_ flow: NativeFlow) -> Bool { behavior.nativeMethod == .password && flow.password == nil }

  private func accepted(_ password: String) throws(NativeError) -> String {
    if let problem = NativeError.password(password) { throw problem }
    return password
  }

  /// - Throws: the demand for what the new user has not given yet.
  private func demandRest(_ flow: NativeFlow) throws(NativeError) {
    guard !needsPassword(flow) else {
      throw NativeError(
        "credential_required", 55_103, "Credential required.",
        members: ["continuation_token": .string(flows.keep(flow))])
    }
    let missing = behavior.signUpAttributes.filter { flow.attributes[$0.key] == nil }
    guard missing.isEmpty else {
      let required = missing.sorted { $0.key < $1.key }.map { name, pattern in
        var attribute: [String: JSON] = ["name": .string(name), "type": "string", "required": true]
        if !pattern.isEmpty { attribute["options"] = ["regex": .string(pattern)] }
        return JSON.object(attribute)
      }
      throw NativeError(
        "attributes_required", 55_106, "User attributes required",
        members: ["continuation_token": .string(flows.keep(flow)), "required_attributes": .array(required)])
    }
  }

  private func addUser(_ flow: NativeFlow) throws -> User {
    do {
      return try directory.add(
        flow.username, password: flow.password, email: flow.username, displayName: flow.attributes["displayName"],
        attributes: flow.attributes)
    } catch let error as TenantError where error.code == "user_exists" {
      throw NativeError.userExists
    }
  }
}
