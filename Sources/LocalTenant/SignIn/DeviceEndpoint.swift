import HTTPServer
import JOSE
import JSON

/// `…/device`, where a user connects a device (RFC 8628 §3.3): the user enters the code, signs in and confirms. This
/// page is a client of the authorization endpoint for the sign-in.
final class DeviceEndpoint {
  private struct SignIn {
    let userCode: String
    /// The `ui_locales` of the page where the user entered the code.
    let locales: String?
  }

  private struct Confirmation {
    let signIn: SignIn
    let grant: GrantStore.Grant
  }

  private let devices: DeviceGrants
  private let grants: GrantStore
  private let directory: DirectoryStore
  private let clock: TenantClock
  /// The sign-ins in progress, by the `state` of their authorization requests.
  private var signIns: [String: SignIn] = [:]
  private var confirmations: [String: Confirmation] = [:]

  init(devices: DeviceGrants, grants: GrantStore, directory: DirectoryStore, clock: TenantClock) {
    self.devices = devices
    self.grants = grants
    self.directory = directory
    self.clock = clock
  }

  func answer(_ request: ServerRequest, _ address: PolicyAddress) throws -> ServerResponse {
    switch request.method {
    case "GET", "HEAD":
      let parameters = Parameters(request.query)
      if let state = parameters["state"] { return try returned(state, parameters, request, address) }
      return Page.deviceCode(
        Texts(request), address, userCode: parameters["user_code"] ?? "", locales: parameters["ui_locales"]
      ).response()
    case "POST":
      let form = Parameters(request.form)
      if let id = form["confirmation"] { return try decide(id, form, request, address) }
      return begin(form, request, address)
    default:
      return Page.wrongMethod(Texts(request), allowed: "GET, POST").response(headers: [("Allow", "GET, POST")])
    }
  }

  /// Continues from a valid code to the sign-in.
  private func begin(_ form: Parameters, _ request: ServerRequest, _ address: PolicyAddress) -> ServerResponse {
    let texts = Texts(request)
    let typed = form["user_code"] ?? ""
    guard let code = devices.pending(userCode: typed, policy: address.policyID) else {
      if form["action"] == "cancel" { return over(texts) }
      let complaint = Page.Complaint(
        text: typed.isEmpty ? texts.missingDeviceCode : texts.unknownDeviceCode, code: nil, fields: ["user_code"])
      return Page.deviceCode(
        texts, address, userCode: typed, locales: form["ui_locales"], complaint: complaint
      ).response()
    }
    guard form["action"] != "cancel" else { return refuse(code.userCode, texts, address) }
    if signIns.count >= 10_000 { signIns = [:] }
    let state = SecureRandom.token()
    signIns[state] = SignIn(userCode: code.userCode, locales: form["ui_locales"])
    var fields = [
      ("client_id", code.clientID), ("response_type", "code"), ("redirect_uri", address.device), ("scope", code.scope),
      ("state", state),
      // The verifier is thrown away, so nobody can redeem the code.
      ("code_challenge", SecureRandom.token()), ("code_challenge_method", "S256"),
    ]
    if let locales = form["ui_locales"] { fields.append(("ui_locales", locales)) }
    let location = AuthorizationAnswer.appending(fields, to: address.authorize)
    return ServerResponse(status: 302, headers: AuthorizationAnswer.headers(location: location))
  }

  /// Handles the redirect that ends the sign-in.
  private func returned(
    _ state: String, _ parameters: Parameters, _ request: ServerRequest, _ address: PolicyAddress
  ) throws -> ServerResponse {
    guard let signIn = signIns.removeValue(forKey: state) else { return over(Texts(request)) }
    let texts = Texts(request, locales: signIn.locales)
    if let error = parameters["error_description"] {
      if error.hasPrefix("AADB2C90091") { return refuse(signIn.userCode, texts, address) }
      let complaint = Page.Complaint(
        text: texts.deviceNotSignedIn, code: String(error.prefix { !$0.isNewline }), fields: ["user_code"])
      return Page.deviceCode(
        texts, address, userCode: signIn.userCode, locales: signIn.locales, complaint: complaint
      ).response()
    }
    guard let text = parameters["code"], let code = grants.code(text), !code.isUsed, code.expires > clock.elapsed,
      code.redirectURI == address.device, code.grant.policy == address.policyID,
      let device = devices.pending(userCode: signIn.userCode, policy: address.policyID),
      device.clientID == code.grant.clientID, let user = try directory.user(id: code.grant.userID)
    else { return over(texts) }
    grants.markUsed(code: text)
    if confirmations.count >= 10_000 { confirmations = [:] }
    let id = SecureRandom.token()
    confirmations[id] = Confirmation(signIn: signIn, grant: code.grant)
    return Page.deviceConfirmation(
      texts, address, id: id, userCode: signIn.userCode,
      client: Contoso.application(device.clientID)?.name ?? device.clientID, user: user
    ).response()
  }

  private func decide(
    _ id: String, _ form: Parameters, _ request: ServerRequest, _ address: PolicyAddress
  ) throws -> ServerResponse {
    guard let confirmation = confirmations.removeValue(forKey: id) else { return over(Texts(request)) }
    let userCode = confirmation.signIn.userCode
    let texts = Texts(request, locales: confirmation.signIn.locales)
    guard form["action"] == "continue" else { return refuse(userCode, texts, address) }
    let state = DeviceGrants.State.granted(confirmation.grant)
    guard devices.decide(userCode: userCode, policy: address.policyID, state) else { return over(texts) }
    return Page.notice(texts, \.signedIn, texts.backToDevice).response()
  }

  private func refuse(_ userCode: String, _ texts: Texts, _ address: PolicyAddress) -> ServerResponse {
    guard devices.decide(userCode: userCode, policy: address.policyID, .denied) else { return over(texts) }
    return Page.notice(texts, \.notSignedIn, texts.deviceTold).response()
  }

  private func over(_ texts: Texts) -> ServerResponse {
    Page.notice(texts, \.isOver, texts.deviceIsOver, status: 400).response()
  }
}
