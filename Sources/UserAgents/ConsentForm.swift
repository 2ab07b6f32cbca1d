import Core
import Markup

/// A form that asks for consent: nothing to type, a button that accepts, and one that denies.
struct ConsentForm {
  let form: Int
  let accept: HTMLButton
  /// The check boxes for scopes, and whether each is to be checked: those that were asked for.
  private(set) var choices: [(field: Int, isChecked: Bool)] = []
  /// True if the form grants nothing that was not asked for.
  private(set) var isForAskedScopes = true

  private static let acceptWords: Set<Substring> = [
    "accept", "allow", "approve", "authorize", "authorise", "consent", "grant", "agree", "permit", "yes",
  ]
  private static let denyWords: Set<Substring> = [
    "deny", "decline", "cancel", "reject", "refuse", "disallow", "disagree", "no", "not", "don",
  ]
  private static let scopeNames: Set<Substring> = [
    "scope", "scopes", "grantscope", "grantscopes", "grantedscope", "grantedscopes", "scopesconsented", "consentscopes",
    "acceptedscopes", "consentedscopes",
  ]

  /// - Parameter forms: all of the page. Those for the language or for signing out are passed over.
  /// - Parameter asked: the scopes of the request; nil where they are unknown.
  init?(_ forms: [HTMLForm], asked: Set<Substring>?) {
    let buttons = forms.enumerated().flatMap { index, form in form.submitting.map { (form: index, button: $0) } }
    guard buttons.contains(where: { Self.denies($0.button) }),
      let accepting = buttons.first(where: { index, button in
        forms[index].method == "POST" && forms[index].typed.isEmpty && Self.accepts(button)
      })
    else { return nil }
    form = accepting.form
    accept = accepting.button
    guard let asked else { return }
    for (index, field) in forms[form].fields.enumerated() where Self.isScope(field) {
      let scopes = field.value.split { $0 == " " || $0 == "," || $0 == "+" }
      let isAsked = scopes.allSatisfy(asked.contains)
      switch field.type {
      case "checkbox" where !field.isDisabled: choices.append((index, isAsked))
      default: isForAskedScopes = isForAskedScopes && (isAsked || !field.isChecked)
      }
    }
  }

  /// True if the button refuses something. It is pressed by people only.
  static func denies(_ button: HTMLButton) -> Bool { !denyWords.isDisjoint(with: words(button)) }

  private static func accepts(_ button: HTMLButton) -> Bool {
    !denies(button) && !acceptWords.isDisjoint(with: words(button))
  }

  private static func words(_ button: HTMLButton) -> [Substring] { button.words.split { !$0.isLetter } }

  private static func isScope(_ field: HTMLField) -> Bool {
    scopeNames.contains(Substring(field.name.lowercased().filter(\.isLetter)))
  }
}

extension NavigationRequest {
  /// The scopes that the authorization request asks for; nil where its address does not name them all.
  var scopes: Set<Substring>? {
    guard WebAddress(url).field("request") == nil else { return nil }
    return WebAddress(url).field("scope").map { Set($0.split(separator: " ").map { Substring(String($0)) }) }
  }
}

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

  var typed: [Int] {
    fields.indices.filter { index in
      let field = fields[index]
      return !field.isDisabled && !field.name.isEmpty
        && (Self.textTypes.contains(field.type) || ["password", "textarea", "search"].contains(field.type))
    }
  }

  var passwords: [Int] { typed.filter { fields[$0].type == "password" && !isCode($0) } }

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
