import HTTPServer
import JSON

/// The endpoints of native authentication (version 1) of Microsoft Entra External ID.
final class NativeAuthentication {
  let tokens: TokenEndpoint
  let flows: NativeFlows
  private let postOffice: PostOffice

  var directory: DirectoryStore { tokens.directory }
  var clock: TenantClock { tokens.clock }
  var behavior: TenantBehavior { tokens.behavior }

  /// The lifetime of a code in seconds, which is also the time to wait before another code.
  private static let codeLifetime = 300
  private static let codeLength = 8
  /// The number of wrong codes that ends a flow.
  private static let mostWrongCodes = 5

  init(tokens: TokenEndpoint, postOffice: PostOffice) {
    self.tokens = tokens
    self.postOffice = postOffice
    flows = NativeFlows(tokens.clock)
  }

  func answer(
    _ request: ServerRequest, _ step: NativeStep, _ address: PolicyAddress, fault: NativeFault?
  ) throws -> ServerResponse {
    do {
      let request = try NativeRequest(request, address)
      switch fault {
      case .redirect: return redirect()
      case .expiredToken: throw NativeError.expiredToken
      case .invalidToken: throw NativeError.invalidToken(step.flow)
      default: break
      }
      var members = try answer(request, step, fault)
      if fault == .missingToken { members["continuation_token"] = nil }
      return .json(200, .object(members), headers: ServerResponse.notStored)
    } catch let error as NativeError {
      return error.response(clock)
    } catch let error as ProtocolError {
      return NativeError(error).response(clock)
    } catch let refusal as Redirect {
      return redirect(because: refusal.reason)
    }
  }

  private func answer(
    _ request: NativeRequest, _ step: NativeStep, _ fault: NativeFault?
  ) throws -> [String: JSON] {
    switch step {
    case .initiate: try startSignIn(request)
    case .challenge, .signUpChallenge, .resetChallenge: try challenge(request, step.flow)
    case .token: try redeem(request, fault)
    case .signUpStart: try startSignUp(request)
    case .signUpContinue: try continueSignUp(request)
    case .resetStart: try startReset(request)
    case .resetContinue: try continueReset(request)
    case .resetSubmit: try submitPassword(request)
    case .resetPoll: try pollReset(request, fault)
    }
  }

  /// The reason why the user needs a browser.
  struct Redirect: Error { var reason: String? }

  private func redirect(because reason: String? = nil) -> ServerResponse {
    var members: [String: JSON] = ["challenge_type": "redirect"]
    members["redirect_reason"] = reason.map(JSON.string)
    return .json(200, .object(members), headers: ServerResponse.notStored)
  }

  // MARK: Codes

  /// Sends a code, or asks for the password. The request may be repeated for a new code, which replaces the old one.
  private func challenge(_ request: NativeRequest, _ kind: NativeFlow.Kind) throws -> [String: JSON] {
    let allowed: [NativeFlow.Progress] =
      kind == .signUp ? [.started, .challenged, .verified] : [.started, .challenged]
    let token = try request.required("continuation_token")
    var flow = try flows.flow(token, kind, clientID: request.client.id, at: allowed)
    if request.form["challenge_type"] != nil { flow.challengeTypes = try request.challengeTypes() }
    let method = try method(of: flow)
    guard flow.challengeTypes.contains(method.challengeType) else { throw Redirect() }
    flows.end(token)
    if flow.progress == .started { flow.progress = .challenged }
    guard method == .code else {
      return ["challenge_type": "password", "continuation_token": .string(flows.keep(flow))]
    }
    let address = try flow.userID.flatMap(directory.user(id:))?.email ?? flow.username
    let code = OneTimeCode.random(digits: Self.codeLength)
    flow.code = code
    flow.codeExpires = clock.elapsed + Self.codeLifetime
    postOffice.send(.mail, to: address, username: flow.username, code: code)
    return [
      "challenge_type": "oob", "binding_method": "prompt", "challenge_channel": "email",
      "challenge_target_label": .string(Self.masked(address)), "code_length": .integer(Int64(Self.codeLength)),
      "interval": .integer(Int64(Self.codeLifetime)), "continuation_token": .string(flows.keep(flow)),
    ]
  }

  /// The method that the user has to use next.
  private func method(of flow: NativeFlow) throws -> NativeMethod {
    switch flow.kind {
    case .signIn: try flow.userID.flatMap(directory.user(id:)).map(method) ?? behavior.nativeMethod
    case .signUp where flow.progress == .verified:
      if needsPassword(flow) { .password } else { throw NativeError.invalidToken(.signUp) }
    case .signUp, .reset: .code
    }
  }

  /// The method by which a user signs in. A user who signed up without a password has none.
  func method(of user: User) -> NativeMethod { user.hasPassword ? behavior.nativeMethod : .code }

  /// Checks the code that the user typed. Too many wrong codes end the flow and lock the account.
  func check(_ typed: String, _ flow: NativeFlow, _ token: String) throws {
    guard let code = flow.code, clock.elapsed < flow.codeExpires, OneTimeCode.cleaned(typed) == code else {
      var flow = flow
      flow.wrongCodes += 1
      flows.update(token, flow)
      if flow.wrongCodes >= Self.mostWrongCodes {
        flows.end(token)
        if let user = try flow.userID.flatMap(directory.user(id:)) { try directory.lock(user) }
      }
      throw NativeError.wrongCode
    }
  }

  /// The address with most of its letters hidden: `c***l@contoso.example`.
  private static func masked(_ address: String) -> String {
    let parts = address.split(separator: "@", maxSplits: 1)
    let name = parts.first ?? ""
    return "\(name.prefix(1))***\(name.count > 2 ? name.suffix(1) : "")\(parts.count > 1 ? "@\(parts[1])" : "")"
  }
}

extension NativeMethod {
  /// The word in `challenge_type`.
  var challengeType: String { self == .code ? "oob" : "password" }
}
