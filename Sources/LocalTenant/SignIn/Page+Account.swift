extension Page {
  /// The page that asks for the user whose password is forgotten.
  static func accountName(_ transaction: SignInTransaction, username: String, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    return form(
      transaction, \.resetTitle, at: "reset", intro: texts.resetText, complaint: complaint,
      fields: [
        Field("logonIdentifier", texts.userNameOrEmail, autocomplete: "username", value: username)
      ],
      buttons: [Button(label: texts.sendCode, action: "send")])
  }

  static func newPassword(_ transaction: SignInTransaction, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    return form(
      transaction, \.newPasswordTitle, at: "reset", complaint: complaint,
      fields: [
        Field(
          "newPassword", texts.newPassword, type: "password", autocomplete: "new-password", hint: texts.passwordRule),
        Field("reenterPassword", texts.newPasswordAgain, type: "password", autocomplete: "new-password"),
      ],
      buttons: [Button(label: texts.goOn, action: "continue")])
  }

  static func profile(_ transaction: SignInTransaction, displayName: String, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    return form(
      transaction, \.editTitle, at: "edit", complaint: complaint,
      fields: [
        Field("displayName", texts.displayName, autocomplete: "name", value: displayName)
      ],
      buttons: [Button(label: texts.goOn, action: "continue")])
  }

  /// The page that asks for a code: the second factor, or the code mailed to a user who forgot the password.
  static func verification(_ transaction: SignInTransaction, complaint: Complaint? = nil) -> Page {
    let texts = transaction.texts
    var intro = texts.appCode
    var place = ""
    var buttons = [Button(label: texts.verify, action: "verify")]
    if case .message(_, let address) = transaction.verification?.method {
      intro = texts.fill(\.sentCode, masked(address))
      place = quiet(texts.codeIsTold)
      buttons.append(Button(label: texts.newCode, action: "resend", skipsFields: true))
    }
    if transaction.verification?.isRenewed == true { intro = "\(texts.newCodeSent) \(intro)" }
    let isReset = transaction.userID == nil
    return form(
      transaction, isReset ? \.verifyAddress : \.verifyTitle, at: isReset ? "reset" : "verify", intro: intro,
      list: place, complaint: complaint,
      fields: [
        Field("verificationCode", texts.code, autocomplete: "one-time-code", hint: texts.sixDigits)
      ],
      buttons: buttons)
  }

  /// Masks most of the address, so that only its owner recognizes it: `a•••@contoso.example`, `+155•••00`.
  private static func masked(_ address: String) -> String {
    guard let at = address.firstIndex(of: "@") else { return "\(address.prefix(4))•••\(address.suffix(2))" }
    return "\(address.prefix(1))•••\(address[at...])"
  }
}
