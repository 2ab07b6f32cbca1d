import HTTPServer

/// The pages for a forgotten password and for the profile.
extension SignInEndpoint {
  func sendResetCode(
    _ transaction: SignInTransaction, _ form: [String: String], _ request: ServerRequest
  ) throws -> ServerResponse {
    let name = (form["logonIdentifier"] ?? "").trimmingSpaces
    let texts = transaction.texts
    guard let user = try directory.find(name) else {
      let complaint = Page.Complaint(
        text: name.isEmpty ? texts.missingFields : texts.unknownUser, code: name.isEmpty ? nil : "AADB2C90053",
        fields: ["logonIdentifier"])
      return Page.accountName(transaction, username: name, complaint: complaint).response()
    }
    var transaction = transaction
    transaction.verification = send(.message(.mail, to: user.email), user)
    return try proceed(transaction, nil, request)
  }

  /// Changes the password and ends all sessions of the user, because someone may have known the old password.
  func setPassword(
    _ transaction: SignInTransaction, _ user: User, _ form: [String: String], _ request: ServerRequest
  ) throws -> ServerResponse {
    let texts = transaction.texts
    let complaint =
      missing(["newPassword", "reenterPassword"], form, texts) ?? passwordComplaint(form, texts)
    if let complaint { return Page.newPassword(transaction, complaint: complaint).response() }
    try directory.setPassword(form["newPassword"] ?? "", of: user)
    state.close(userID: user.id)
    var transaction = transaction
    transaction.hasFinishedPage = true
    return try proceed(transaction, user, request)
  }

  func edit(
    _ transaction: SignInTransaction, _ user: User, _ form: [String: String], _ request: ServerRequest
  ) throws -> ServerResponse {
    let displayName = (form["displayName"] ?? "").trimmingSpaces
    if let complaint = missing(["displayName"], form, transaction.texts) {
      return Page.profile(transaction, displayName: displayName, complaint: complaint).response()
    }
    try directory.setDisplayName(displayName, of: user)
    var user = user
    user.displayName = displayName
    var transaction = transaction
    transaction.hasFinishedPage = true
    return try proceed(transaction, user, request)
  }
}
