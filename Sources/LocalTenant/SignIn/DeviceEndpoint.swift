import Crypto
import HTTPServer
import JSON
import Pages
import TenantTexts

/// `…/device`, where a user connects a device (RFC 8628 §3.3): the user enters the code, signs in and confirms. This
/// page is a client of the authorization endpoint for the sign-in.
struct DeviceEndpoint {
  struct SignIn: Expiring {
    let userCode: String
    /// The `ui_locales` of the page where the user entered the code.
    let locales: String?
    let expires: Int
    /// The result of the sign-in, which the user has to confirm.
    var grant: GrantStore.Grant?
  }

  let devices: DeviceGrants
  let grants: GrantStore
  let directory: DirectoryStore
  let clock: TenantClock
  /// The sign-ins in progress, by the `state` of their authorization requests, then by the ID of the confirmation.
  let signIns: ExpiringStore<SignIn>

  func answer(_ request: ServerRequest, _ address: PolicyAddress) throws -> ServerResponse {
    if let refusal = Page.refusal(of: request, unless: ["GET", "POST"]) { return refusal }
    if request.method == "POST" {
      let form = Parameters(request.form)
      if let id = form["confirmation"] { return decide(id, form, request, address) }
      return begin(form, request, address)
    }
    let parameters = Parameters(request.query)
    if let state = parameters["state"] { return try returned(state, parameters, request, address) }
    return askForCode(Texts(request), address, parameters["user_code"] ?? "", parameters["ui_locales"])
  }

  private func askForCode(
    _ texts: Texts, _ address: PolicyAddress, _ userCode: String, _ locales: String?, complaint: String? = nil,
    code: String? = nil
  ) -> ServerResponse {
    Page(
      texts, \.deviceTitle, action: address.page(.device), intro: Page.quiet(texts.deviceText),
      complaint: complaint.map { Page.Complaint(text: $0, code: code, fields: ["user_code"]) },
      hidden: locales.map { [("ui_locales", $0)] } ?? [],
      fields: [
        Page.Field(
          name: "user_code", label: texts.code, autocomplete: "off", value: userCode, hint: texts.deviceCodeHint)
      ],
      buttons: [Page.Button(label: texts.next, action: "next")]
    ).response()
  }

  private func begin(_ form: Parameters, _ request: ServerRequest, _ address: PolicyAddress) -> ServerResponse {
    let texts = Texts(request)
    let typed = form["user_code"] ?? ""
    guard let code = devices.pending(userCode: typed, policy: address.policyID) else {
      if form["action"] == "cancel" { return over(texts) }
      let complaint = typed.isEmpty ? texts.missingDeviceCode : texts.unknownDeviceCode
      return askForCode(texts, address, typed, form["ui_locales"], complaint: complaint)
    }
    guard form["action"] != "cancel" else { return refuse(code.userCode, texts, address) }
    let state = SecureRandom.token()
    signIns.add(SignIn(userCode: code.userCode, locales: form["ui_locales"], expires: code.expires), as: state)
    var fields = [
      ("client_id", code.clientID), ("response_type", "code"), ("redirect_uri", address.device), ("scope", code.scope),
      ("state", state),
      // The verifier is thrown away, so nobody can redeem the code.
      ("code_challenge", SecureRandom.token()), ("code_challenge_method", "S256"),
    ]
    fields += code.others
    if let locales = form["ui_locales"] { fields.append(("ui_locales", locales)) }
    return AuthorizationAnswer.redirect(to: AuthorizationAnswer.appending(fields, to: address.url(.authorize)))
  }

  private func returned(
    _ state: String, _ parameters: Parameters, _ request: ServerRequest, _ address: PolicyAddress
  ) throws -> ServerResponse {
    guard var signIn = signIns.remove(state) else { return over(Texts(request)) }
    let texts = Texts(request, locales: signIn.locales)
    if let error = parameters["error_description"] {
      if error.hasPrefix("AADB2C90091") { return refuse(signIn.userCode, texts, address) }
      return askForCode(
        texts, address, signIn.userCode, signIn.locales, complaint: texts.deviceNotSignedIn,
        code: String(error.prefix { !$0.isNewline }))
    }
    guard let text = parameters["code"], let code = grants.code(text), !code.isUsed, code.expires > clock.elapsed,
      code.redirectURI == address.device, code.grant.policy == address.policyID,
      let device = devices.pending(userCode: signIn.userCode, policy: address.policyID),
      device.clientID == code.grant.clientID, let user = try directory.user(id: code.grant.userID)
    else { return over(texts) }
    grants.markUsed(code: text)
    signIn.grant = code.grant
    let id = SecureRandom.token()
    signIns.add(signIn, as: id)
    let client = Contoso.application(device.clientID)?.name ?? device.clientID
    let values = ["app": client, "user": user.displayName, "code": signIn.userCode]
    // All placeholders are replaced in one pass, so that a placeholder inside a filled-in value stays as it is.
    let question = HTML.list(texts.deviceConfirmText).text.replacing(#/\{(app|user|code)\}/#) {
      HTML(.b, values[String($0.output.1)]).text
    }
    // The page asks whether the user started this sign-in, because someone else may have sent the code (RFC 8628 §5.4).
    return Page(
      texts, \.deviceConfirmTitle, action: address.page(.device),
      intro: .list(HTML(.p, HTML(markup: question)), Page.quiet(texts.deviceConfirmWarning)),
      hidden: [("confirmation", id)],
      buttons: [Page.Button(label: texts.goOn, action: "continue")]
    ).response()
  }

  private func decide(
    _ id: String, _ form: Parameters, _ request: ServerRequest, _ address: PolicyAddress
  ) -> ServerResponse {
    guard let signIn = signIns.remove(id), let grant = signIn.grant else { return over(Texts(request)) }
    let texts = Texts(request, locales: signIn.locales)
    guard form["action"] == "continue" else { return refuse(signIn.userCode, texts, address) }
    guard devices.decide(userCode: signIn.userCode, policy: address.policyID, .granted(grant)) else {
      return over(texts)
    }
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
