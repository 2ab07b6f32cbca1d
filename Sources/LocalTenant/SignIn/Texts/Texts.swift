/// The words of the pages in one language. `{}` stands for what is filled in.
struct Texts: Sendable {
  /// As `lang` has it (RFC 5646).
  let language: String

  // Signing in and up.
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

  // What is wrong with what was typed.
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
  let openWithApp: String
  let footer: String
}

extension Texts {
  private static let all = [english, greek, french, turkish, german, czech]

  /// The languages of the pages.
  static var languages: [String] { all.map(\.language) }

  /// The first of the languages in `ui_locales` that the pages are there in (OpenID Connect Core §3.1.2.1), else English.
  /// A region does not matter: `fr-CA` is French.
  init(locales: String?) {
    let wanted = (locales ?? "").split(separator: " ").map { $0.prefix { $0 != "-" && $0 != "_" }.lowercased() }
    self = wanted.lazy.compactMap { tag in Self.all.first { $0.language == tag } }.first ?? Self.english
  }

  func fill(_ text: KeyPath<Texts, String>, _ value: String) -> String {
    self[keyPath: text].replacing("{}", with: value)
  }
}
