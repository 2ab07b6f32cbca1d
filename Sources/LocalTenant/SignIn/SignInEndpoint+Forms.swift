import HTTPServer

extension SignInEndpoint {
  /// The sign-in page once more, and what its form sends.
  func login(_ request: ServerRequest) throws -> ServerResponse {
    guard ["GET", "HEAD", "POST"].contains(request.method) else { return methodNotAllowed("GET, POST") }
    let form = fields(of: request)
    guard let transaction = transaction(form, request) else { return lost() }
    let username = form["logonIdentifier"] ?? ""
    guard request.method == "POST" else { return Page.signIn(transaction, username: username).response() }
    if form["action"] == "cancel" { return cancel(transaction, request) }
    let missing = ["logonIdentifier", "password"].filter { (form[$0] ?? "").trimmingSpaces.isEmpty }
    guard missing.isEmpty else {
      let complaint = Page.Complaint(text: "Please enter your user name and your password.", code: nil, fields: missing)
      return Page.signIn(transaction, username: username, complaint: complaint).response()
    }
    let complaint: Page.Complaint
    switch try directory.authenticate(username, password: form["password"] ?? "") {
    case .success(let user): return try finish(transaction, user, request)
    case .wrongCredentials:
      complaint = Page.Complaint(
        text: "We don't seem to recognize this user name and password.", code: "AADB2C90225", fields: ["password"])
    case .locked:
      complaint = Page.Complaint(text: DirectoryStore.lockedText, code: "AADB2C90114", fields: ["password"])
    }
    return Page.signIn(transaction, username: username, complaint: complaint).response()
  }

  /// The sign-up page, and what its form sends.
  func signUp(_ request: ServerRequest) throws -> ServerResponse {
    guard ["GET", "HEAD", "POST"].contains(request.method) else { return methodNotAllowed("GET, POST") }
    let form = fields(of: request)
    guard let transaction = transaction(form, request) else { return lost() }
    guard request.method == "POST" else { return Page.signUp(transaction).response() }
    if form["action"] == "cancel" { return cancel(transaction, request) }
    if let complaint = complaint(form) {
      return Page.signUp(transaction, values: form, complaint: complaint).response()
    }
    do {
      let user = try directory.add(
        NewUser(
          username: form["username"] ?? "", email: form["email"]?.trimmingSpaces, password: form["newPassword"] ?? "",
          displayName: form["displayName"]?.trimmingSpaces))
      return try finish(transaction, user, request)
    } catch let error as TenantError where error.code == "user_exists" {
      let complaint = Page.Complaint(
        text: "A user with this user name or email already exists. Please choose another.", code: nil,
        fields: ["username", "email"])
      return Page.signUp(transaction, values: form, complaint: complaint).response()
    }
  }

  private func complaint(_ form: [String: String]) -> Page.Complaint? {
    let required = ["username", "email", "displayName", "newPassword", "reenterPassword"]
    let missing = required.filter { (form[$0] ?? "").trimmingSpaces.isEmpty }
    if !missing.isEmpty {
      return Page.Complaint(text: "Please fill in all of the fields.", code: nil, fields: missing)
    }
    if form["username", default: ""].utf8.count > 128 {
      return Page.Complaint(text: "The user name is too long: 128 characters at most.", code: nil, fields: ["username"])
    }
    let password = form["newPassword"] ?? ""
    if !PasswordRule.admits(password) {
      return Page.Complaint(text: "The password must have \(PasswordRule.text).", code: nil, fields: ["newPassword"])
    }
    if password != form["reenterPassword"] {
      return Page.Complaint(text: "The two passwords are not the same.", code: nil, fields: ["reenterPassword"])
    }
    return nil
  }

  private func finish(_ transaction: SignInTransaction, _ user: User, _ request: ServerRequest) throws -> ServerResponse
  {
    state.end(transaction)
    state.close(Cookies.value(Cookies.session, in: request))
    let session = state.open(userID: user.id, authTime: clock.now, elapsed: clock.elapsed)
    return try grant(
      transaction.request, transaction.scope, user, authTime: clock.now, request,
      headers: [Cookies.set(Cookies.session, session, isSecure: isSecure)])
  }

  private func cancel(_ transaction: SignInTransaction, _ request: ServerRequest) -> ServerResponse {
    state.end(transaction)
    return refuse(
      transaction.request,
      ProtocolError("access_denied", "90091", "The user has cancelled entering self-asserted information."), request)
  }

  private func fields(of request: ServerRequest) -> [String: String] {
    Dictionary(request.query + request.form) { _, last in last }
  }

  private func transaction(_ form: [String: String], _ request: ServerRequest) -> SignInTransaction? {
    form["tx"].flatMap {
      state.transaction($0, browser: Cookies.value(Cookies.browser, in: request), elapsed: clock.elapsed)
    }
  }

  /// The form is old, or was sent before, or comes from another browser.
  private func lost() -> ServerResponse {
    Page.notice(
      "This sign-in is over",
      "It took too long, was finished already, or this browser keeps no cookies. Go back to the app and sign in again.",
      status: 400
    ).response()
  }
}
