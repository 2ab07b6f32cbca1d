package import HTTPServer

/// The texts of the pages in one language. `{}` is a placeholder.
package struct Texts: Sendable {
  /// The language tag for `lang` (RFC 5646).
  package let language: String

  // Signing in and signing up.
  package let signIn: String
  package let signUp: String
  package let goOnTo: String
  package let userNameOrEmail: String
  package let password: String
  package let cancel: String
  package let forgotPassword: String
  package let noAccountYet: String
  package let signUpNow: String
  package let haveAccount: String
  package let userName: String
  package let email: String
  package let displayName: String
  package let passwordAgain: String
  package let createAccount: String
  package let passwordRule: String

  // Errors about the input.
  package let missingCredentials: String
  package let wrongCredentials: String
  package let locked: String
  package let missingFields: String
  package let userNameTooLong: String
  package let passwordMustHave: String
  package let passwordsDiffer: String
  package let userExists: String
  package let unknownUser: String
  package let missingCode: String
  package let wrongCode: String
  package let expiredCode: String

  // Codes, as a second factor and to reset a password.
  package let verifyTitle: String
  package let verifyAddress: String
  package let appCode: String
  package let sentCode: String
  /// The place where a developer finds the code.
  package let codeIsTold: String
  package let code: String
  package let sixDigits: String
  package let verify: String
  package let newCode: String
  package let newCodeSent: String
  package let resetTitle: String
  package let resetText: String
  package let sendCode: String
  package let newPasswordTitle: String
  package let newPassword: String
  package let newPasswordAgain: String

  // The other pages.
  package let editTitle: String
  package let chooseAccount: String
  package let goOnAs: String
  package let anotherAccount: String
  package let consentTitle: String
  package let consentText: String
  package let allow: String
  package let goOn: String
  package let signedOut: String
  package let mayClose: String
  package let backToApp: String
  package let almostDone: String
  package let notSignedIn: String
  package let copyThis: String
  /// Replaces `copyThis` if the policy was run from the status page.
  package let trialText: String
  package let openWithApp: String

  package let titleWithError: String
  package let emptyField: String

  // Connecting a device.
  package let deviceTitle: String
  package let deviceText: String
  package let deviceCodeHint: String
  package let next: String
  package let missingDeviceCode: String
  package let unknownDeviceCode: String
  package let deviceNotSignedIn: String
  package let deviceConfirmTitle: String
  /// The text with the placeholders `{app}`, `{user}` and `{code}`.
  package let deviceConfirmText: String
  package let deviceConfirmWarning: String
  package let signedIn: String
  package let backToDevice: String
  package let deviceTold: String

  // Errors that end the sign-in.
  package let isOver: String
  package let deviceIsOver: String
  package let signInIsLost: String
  package let failedTitle: String
  package let failedText: String
  package let wrongMethodTitle: String
  package let wrongMethodText: String
  package let unknownReturn: String
  package let nothingHere: String
  package let unknownAddress: String
  package let unknownTenant: String
  package let onlyTenant: String
  package let missingPolicy: String
  package let unknownPolicy: String
  package let knownPolicies: String
  package let statusPage: String

  package let footer: String
}

extension Texts {
  package static let all = [english, greek, french, turkish, german, czech]

  package func fill(_ text: KeyPath<Texts, String>, _ value: String) -> String {
    self[keyPath: text].replacing("{}", with: value)
  }

  package static var languages: [String] { all.map(\.language) }

  /// The first available language of `ui_locales` (OpenID Connect Core §3.1.2.1), then of `Accept-Language`, else
  /// English. Regions are ignored: `fr-CA` is French.
  package init(_ request: ServerRequest, locales: String? = nil) {
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
