import HTTPServer

/// The texts of the pages in one language. `{}` is a placeholder.
struct Texts: Sendable {
  /// The language tag for `lang` (RFC 5646).
  let language: String

  // Signing in and signing up.
  let signIn: String
  let signUp: String
  let goOnTo: String
  let userNameOrEmail: String
  let password: String
  let cancel: String
  let forgotPassword: String
  let noAccountYet: String
  let signUpNow: String
  let haveAccount: String
  let userName: String
  let email: String
  let displayName: String
  let passwordAgain: String
  let createAccount: String
  let passwordRule: String

  // Errors about the input.
  let missingCredentials: String
  let wrongCredentials: String
  let locked: String
  let missingFields: String
  let userNameTooLong: String
  let passwordMustHave: String
  let passwordsDiffer: String
  let userExists: String
  let unknownUser: String
  let missingCode: String
  let wrongCode: String
  let expiredCode: String

  // Codes, as a second factor and to reset a password.
  let verifyTitle: String
  let verifyAddress: String
  let appCode: String
  let sentCode: String
  /// The place where a developer finds the code.
  let codeIsTold: String
  let code: String
  let sixDigits: String
  let verify: String
  let newCode: String
  let newCodeSent: String
  let resetTitle: String
  let resetText: String
  let sendCode: String
  let newPasswordTitle: String
  let newPassword: String
  let newPasswordAgain: String

  // The other pages.
  let editTitle: String
  let chooseAccount: String
  let goOnAs: String
  let anotherAccount: String
  let consentTitle: String
  let consentText: String
  let allow: String
  let goOn: String
  let signedOut: String
  let mayClose: String
  let backToApp: String
  let almostDone: String
  let notSignedIn: String
  let copyThis: String
  /// Replaces `copyThis` if the policy was run from the status page.
  let trialText: String
  let openWithApp: String

  let titleWithError: String
  let emptyField: String

  // Connecting a device.
  let deviceTitle: String
  let deviceText: String
  let deviceCodeHint: String
  let next: String
  let missingDeviceCode: String
  let unknownDeviceCode: String
  let deviceNotSignedIn: String
  let deviceConfirmTitle: String
  /// The text with the placeholders `{app}`, `{user}` and `{code}`.
  let deviceConfirmText: String
  let deviceConfirmWarning: String
  let signedIn: String
  let backToDevice: String
  let deviceTold: String

  // Errors that end the sign-in.
  let isOver: String
  let deviceIsOver: String
  let signInIsLost: String
  let failedTitle: String
  let failedText: String
  let wrongMethodTitle: String
  let wrongMethodText: String
  let unknownReturn: String
  let nothingHere: String
  let unknownAddress: String
  let unknownTenant: String
  let onlyTenant: String
  let missingPolicy: String
  let unknownPolicy: String
  let knownPolicies: String
  let statusPage: String

  let footer: String
}

extension Texts {
  static let all = [english, greek, french, turkish, german, czech]

  func fill(_ text: KeyPath<Texts, String>, _ value: String) -> String {
    self[keyPath: text].replacing("{}", with: value)
  }

  static var languages: [String] { all.map(\.language) }

  /// The first available language of `ui_locales` (OpenID Connect Core §3.1.2.1), then of `Accept-Language`, else
  /// English. Regions are ignored: `fr-CA` is French.
  init(_ request: ServerRequest, locales: String? = nil) {
    let locales = locales ?? (request.query + request.form).first { $0.0 == "ui_locales" }?.1 ?? ""
    let wanted = locales.split(separator: " ") + Self.accepted(request.header("Accept-Language") ?? "")
    self = wanted.lazy.compactMap { Self.inLanguage(of: $0) }.first ?? Self.english
  }

  private static func inLanguage(of tag: Substring) -> Texts? {
    let language = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
    return all.first { $0.language == language }
  }

  /// The language ranges of `Accept-Language`, most preferred first (RFC 9110 §12.5.4).
  private static func accepted(_ field: String) -> [Substring] {
    let ranges = field.split(separator: ",").map { range in
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
      return (tag: Substring(parts.first ?? ""), weight: weight ?? 1)
    }
    return ranges.enumerated().filter { $0.element.weight > 0 }
      .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.tag)
  }
}
