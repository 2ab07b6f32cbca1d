import HTTPServer
import JOSE

/// `…/device`, where a user connects a device (RFC 8628 §3.3): enters the code, signs in as in any browser, and confirms.
/// For the sign-in this page is itself a client of the authorization endpoint.
final class DeviceEndpoint {
  private struct Confirmation {
    let userCode: String
    let grant: GrantStore.Grant
  }

  private let devices: DeviceGrants
  private let grants: GrantStore
  private let directory: DirectoryStore
  private let clock: TenantClock
  /// The user codes of sign-ins under way, by the `state` of their authorization requests.
  private var signIns: [String: String] = [:]
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
      if let state = parameters["state"] { return try returned(state, parameters, address) }
      return Page.deviceCode(address, userCode: parameters["user_code"] ?? "").response()
    case "POST":
      let form = Parameters(request.form)
      if let id = form["confirmation"] { return try decide(id, form, address) }
      return begin(form, address)
    default:
      return Page.notice("Not like this", "This address takes GET, POST.", status: 405)
        .response(headers: [("Allow", "GET, POST")])
    }
  }

  /// The code was entered: on to the sign-in.
  private func begin(_ form: Parameters, _ address: PolicyAddress) -> ServerResponse {
    let typed = form["user_code"] ?? ""
    guard let code = devices.pending(userCode: typed, policy: address.policyID) else {
      if form["action"] == "cancel" { return Self.over }
      let text =
        typed.isEmpty
        ? "Please enter the code that your device shows."
        : "This code is not known here, has expired, or was used already. Look at your device again."
      return Page.deviceCode(
        address, userCode: typed, complaint: Page.Complaint(text: text, code: nil, fields: ["user_code"])
      ).response()
    }
    guard form["action"] != "cancel" else { return refuse(code.userCode, address) }
    if signIns.count >= 10_000 { signIns = [:] }
    let state = SecureRandom.token()
    signIns[state] = code.userCode
    let fields = [
      ("client_id", code.clientID), ("response_type", "code"), ("redirect_uri", address.device), ("scope", code.scope),
      ("state", state),
      // Nobody has its verifier: the code is of no use but to this page.
      ("code_challenge", SecureRandom.token()), ("code_challenge_method", "S256"),
    ]
    let location = AuthorizationAnswer.appending(fields, to: address.authorize)
    return ServerResponse(status: 302, headers: AuthorizationAnswer.headers(location: location))
  }

  /// Back from the sign-in.
  private func returned(_ state: String, _ parameters: Parameters, _ address: PolicyAddress) throws -> ServerResponse {
    guard let userCode = signIns.removeValue(forKey: state) else { return Self.over }
    if let error = parameters["error_description"] {
      if error.hasPrefix("AADB2C90091") { return refuse(userCode, address) }
      let text = error.prefix { !$0.isNewline }
      let complaint = Page.Complaint(text: "You were not signed in. \(text)", code: nil, fields: ["user_code"])
      return Page.deviceCode(address, userCode: userCode, complaint: complaint).response()
    }
    guard let text = parameters["code"], let code = grants.code(text), !code.isUsed, code.expires > clock.elapsed,
      code.redirectURI == address.device, code.grant.policy == address.policyID,
      let device = devices.pending(userCode: userCode, policy: address.policyID),
      device.clientID == code.grant.clientID, let user = try directory.user(id: code.grant.userID)
    else { return Self.over }
    grants.markUsed(code: text)
    if confirmations.count >= 10_000 { confirmations = [:] }
    let id = SecureRandom.token()
    confirmations[id] = Confirmation(userCode: userCode, grant: code.grant)
    return Page.deviceConfirmation(
      address, id: id, userCode: userCode, client: Contoso.application(device.clientID)?.name ?? device.clientID,
      user: user
    ).response()
  }

  private func decide(_ id: String, _ form: Parameters, _ address: PolicyAddress) throws -> ServerResponse {
    guard let confirmation = confirmations.removeValue(forKey: id) else { return Self.over }
    guard form["action"] == "continue" else { return refuse(confirmation.userCode, address) }
    let state = DeviceGrants.State.granted(confirmation.grant)
    guard devices.decide(userCode: confirmation.userCode, policy: address.policyID, state) else { return Self.over }
    return Page.notice("You are signed in", "Go back to your device. You may close this page.").response()
  }

  private func refuse(_ userCode: String, _ address: PolicyAddress) -> ServerResponse {
    guard devices.decide(userCode: userCode, policy: address.policyID, .denied) else { return Self.over }
    return Page.notice("Not signed in", "Your device has been told. You may close this page.").response()
  }

  private static var over: ServerResponse {
    Page.notice(
      "This sign-in is over", "The code has expired or was used already. Let your device show a new one.", status: 400
    ).response()
  }
}
