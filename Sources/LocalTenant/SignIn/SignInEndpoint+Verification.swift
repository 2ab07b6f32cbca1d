import HTTPServer

extension SignInEndpoint {
  /// The method of the user's second factor: the app, the phone, or email if the user has neither.
  func secondFactor(of user: User) -> Verification.Method {
    user.otp == nil ? .message(.sms, to: user.phone ?? user.email) : .app
  }

  /// Starts a verification, and sends a code if the method needs one.
  func send(_ method: Verification.Method, _ user: User) -> Verification {
    var verification = Verification(
      userID: user.id, method: method, code: nil, expires: clock.elapsed + Verification.lifetime)
    if case .message(let kind, let address) = method {
      let code = OneTimeCode.random()
      verification.code = code
      postOffice.send(kind, to: address, user, code: code)
    }
    return verification
  }

  /// Checks the code, or sends a new one if the user asked for it.
  func verify(
    _ transaction: SignInTransaction, _ form: [String: String], _ request: ServerRequest
  ) throws -> ServerResponse {
    var transaction = transaction
    guard let verification = transaction.verification, let user = try directory.user(id: verification.userID) else {
      return lost(request)
    }
    if form["action"] == "resend" { return resend(transaction, verification, user) }
    transaction.verification?.isRenewed = false
    let typed = OneTimeCode.cleaned(form["verificationCode"] ?? "")
    guard !typed.isEmpty else { return again(transaction, transaction.texts.missingCode) }
    switch verification.method {
    case .app:
      if try directory.redeem(code: typed, of: user) { return try verified(transaction, user, request) }
    case .message:
      guard clock.elapsed < verification.expires else { return again(transaction, transaction.texts.expiredCode) }
      if verification.code == typed { return try verified(transaction, user, request) }
    }
    transaction.verification?.attempts += 1
    guard verification.attempts + 1 < Verification.attemptLimit else {
      // Without the lock, someone who knows the password could start over and try all codes.
      try directory.lock(user)
      return end(transaction, ProtocolError("access_denied", "90114", DirectoryStore.lockedText), request)
    }
    return again(transaction, transaction.texts.wrongCode)
  }

  /// Sends a new code. The count of wrong codes continues.
  private func resend(_ transaction: SignInTransaction, _ old: Verification, _ user: User) -> ServerResponse {
    var transaction = transaction
    if case .message = old.method {
      var new = send(old.method, user)
      new.attempts = old.attempts
      new.isRenewed = true
      transaction.verification = new
    }
    state.update(transaction)
    return Page.verification(transaction).response()
  }

  private func again(_ transaction: SignInTransaction, _ text: String) -> ServerResponse {
    state.update(transaction)
    let complaint = Page.Complaint(text: text, code: nil, fields: ["verificationCode"])
    return Page.verification(transaction, complaint: complaint).response()
  }

  private func verified(
    _ transaction: SignInTransaction, _ user: User, _ request: ServerRequest
  ) throws -> ServerResponse {
    // Without a user ID, the code was mailed to reset a forgotten password.
    guard transaction.userID != nil else { return try recognized(transaction, user, request) }
    var transaction = transaction
    transaction.hasSecondFactor = true
    transaction.verification = nil
    return try proceed(transaction, user, request)
  }
}
