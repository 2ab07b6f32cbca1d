import HTTPClient
import Settings

/// A sentence of a profile, and the test of it.
struct ProfileRule<Subject>: Sendable {
  /// The section of the standard: `5.3.3.2`.
  let section: String
  /// The sentence in short, for messages.
  let sentence: String
  let hint: String
  /// False if the subject breaks the rule.
  let isKept: @Sendable (Subject) -> Bool

  init(_ section: String, _ sentence: String, hint: String, _ isKept: @escaping @Sendable (Subject) -> Bool) {
    self.section = section
    self.sentence = sentence
    self.hint = hint
    self.isKept = isKept
  }
}

/// The facts of a client that a profile rules on.
struct ProfiledClient {
  let settings: Settings

  /// The methods of client authentication without a shared secret, by their names in RFC 7591 and RFC 8705.
  static let methodsWithKeys: Set = ["private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"]

  /// True if the client proves by a key who it is.
  var hasKey: Bool {
    if let method = settings.clientAuthentication { return Self.methodsWithKeys.contains(method) }
    return settings.clientKey != nil || settings.hasCertificate
  }

  /// True if the client has neither a secret nor a key.
  var isPublic: Bool {
    settings.clientAuthentication == "none"
      || settings.clientSecret == nil && settings.clientKey == nil && !settings.hasCertificate
  }
}

/// The facts of an authorization request that a profile rules on.
struct ProfiledAuthorization {
  let request: AuthorizationRequest
  let redirectURI: String
  let isPushed: Bool
  /// True if the provider's metadata document lists `plain` and not `S256`.
  let knowsPlainOnly: Bool
}

/// The facts of a token request that a profile rules on.
struct ProfiledTokenRequest {
  let request: TokenRequest
  let client: ProfiledClient

  /// True if the tokens are bound to a key of the client (RFC 8705, RFC 9449).
  var isBound: Bool { request.binding.proofKey != nil || client.settings.hasCertificate }
}

/// A token response with its request.
struct ProfiledTokens {
  let tokens: TokenSet
  let request: ProfiledTokenRequest
}

/// The rules of a profile.
struct ProfileRules: Sendable {
  let title: String
  var client: [ProfileRule<ProfiledClient>] = []
  var metadata: [ProfileRule<ProviderMetadata>] = []
  var authorization: [ProfileRule<ProfiledAuthorization>] = []
  var pushedRequest: [ProfileRule<PushedRequest>] = []
  /// Rules for the parameters of a redirect.
  var redirect: [ProfileRule<[String: String]>] = []
  var tokenRequest: [ProfileRule<ProfiledTokenRequest>] = []
  /// Rules for the provider whose breach is told in a warning: the tokens can be used.
  var remarks: [ProfileRule<ProfiledTokens>] = []

  /// - Throws: `profile_violation` for the first rule that the subject breaks.
  func check<Subject>(
    _ subject: Subject, by rules: [ProfileRule<Subject>], _ stage: OAuthError.Stage
  ) throws(OAuthError) {
    if let broken = rules.first(where: { !$0.isKept(subject) }) { throw error(broken, stage) }
  }

  /// The error about a broken rule.
  func error<Subject>(_ rule: ProfileRule<Subject>, _ stage: OAuthError.Stage) -> OAuthError {
    OAuthError(
      "profile_violation", stage, "\(title), \(rule.section): \(rule.sentence)", hint: rule.hint,
      details: ["profile": title, "section": rule.section])
  }

  static func rules(of profile: SecurityProfile) -> ProfileRules { profile == .fapi2 ? .fapi2 : .oauth21 }
}

enum ProfileAddress {
  /// True for a redirect URI that no network carries in the clear: https, http on this machine, an application's own scheme.
  static func isSafe(redirectURI: String) -> Bool {
    guard redirectURI.lowercased().hasPrefix("http:") else { return true }
    return Origin(redirectURI)?.isLoopback == true
  }

  /// True for a complete redirect URI, which a provider can compare as a string.
  static func isExact(redirectURI: String) -> Bool { !redirectURI.contains("*") && !redirectURI.contains("#") }
}
