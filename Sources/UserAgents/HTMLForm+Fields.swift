import Markup

/// The use of fields, found like in a browser's password manager: by type, `autocomplete` and the usual names.
extension HTMLForm {
  private static let userNames: Set<String> = [
    "username", "user", "userid", "user_name", "login", "loginfmt", "logonidentifier", "signinname", "email", "mail",
    "upn", "account", "identifier", "sub", "subject", "uid",
  ]
  private static let codeNames: Set<String> = [
    "otp", "totp", "code", "otc", "otpcode", "mfacode", "passcode", "verificationcode", "verification_code",
    "securitycode", "onetimecode", "one-time-code", "onetimepassword", "token",
  ]
  private static let userCodeNames: Set<String> = ["user_code", "usercode", "device_code", "devicecode"]
  private static let textTypes: Set<String> = ["text", "email", "tel", "number", ""]

  /// The fields that a person types into.
  var typed: [Int] {
    fields.indices.filter { index in
      let field = fields[index]
      return !field.isDisabled && !field.name.isEmpty
        && (Self.textTypes.contains(field.type) || ["password", "textarea", "search"].contains(field.type))
    }
  }

  var passwords: [Int] { typed.filter { fields[$0].type == "password" && !isCode($0) } }

  /// For a one-time code.
  var code: Int? { typed.first(where: isCode) }

  /// For the code that a device shows (RFC 8628, 3.3).
  var userCode: Int? { typed.first { isNamed($0, Self.userCodeNames) } }

  /// For the user name: by what it is called; beside a password also the only text there is.
  func userField(besidesPassword: Bool = false) -> Int? {
    let texts = typed.filter { Self.textTypes.contains(fields[$0].type) && !isCode($0) }
    let named = texts.first { index in
      let hints = hints(index)
      return hints.contains("username") || hints.contains("email") || fields[index].type == "email"
        || isNamed(index, Self.userNames)
    }
    return named ?? (besidesPassword && texts.count == 1 ? texts.first : nil)
  }

  /// The buttons that submit, and of these the ones that go on with what the page is about.
  var submitting: [HTMLButton] { buttons.filter { $0.submits && !$0.isDisabled } }
  var leadingOn: [HTMLButton] {
    submitting.filter { button in
      ["cancel", "forgot", "back", "resend", "deny", "decline"].allSatisfy { !button.words.contains($0) }
    }
  }

  private func isCode(_ index: Int) -> Bool { hints(index).contains("one-time-code") || isNamed(index, Self.codeNames) }

  private func hints(_ index: Int) -> [Substring] { fields[index].autocomplete?.split(separator: " ") ?? [] }

  private func isNamed(_ index: Int, _ names: Set<String>) -> Bool {
    names.contains(fields[index].name.lowercased()) || names.contains(fields[index].id?.lowercased() ?? "")
  }
}

extension HTMLButton {
  /// All it is called, in lower case.
  var words: String { "\(name ?? "") \(id ?? "") \(value) \(label)".lowercased() }
}

extension HTMLDocument {
  /// True if the page does nothing without scripts. Azure AD B2C's own pages are such: their forms lead nowhere, and a
  /// script sends what `SETTINGS` says (the transaction among it); others have no form, and say so in `noscript`.
  var needsScripts: Bool {
    if scripts.contains(where: { $0.contains("SETTINGS") && $0.contains("transId") }) { return true }
    if forms.contains(where: { $0.action?.lowercased().hasPrefix("javascript:") == true }) { return true }
    guard forms.isEmpty, refresh == nil else { return false }
    return !noScript.isEmpty || text.isEmpty && !scripts.isEmpty
  }
}
