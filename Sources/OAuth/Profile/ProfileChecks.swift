import Core
import HTTPClient
package import HostLoop
import JSON
package import Settings

extension Settings {
  /// True if the client has a certificate for mutual TLS (RFC 8705).
  var hasCertificate: Bool { clientCertificate != nil }

  /// True if the profile demands tokens that are bound to a key, and only a proof can bind them.
  package var needsProofKey: Bool { followsFAPI2 && !hasCertificate }

  /// True if the profile is FAPI 2.0: the endpoints are those of the metadata document, requests are pushed, and redirects
  /// have the parameter `iss` (RFC 9207), whatever the settings, the request or the document say.
  var followsFAPI2: Bool { profile == .fapi2 }

  /// The signature algorithms that the profile allows; nil for all.
  fileprivate var allowedAlgorithms: Set<String>? { followsFAPI2 ? ProfileRules.fapi2Algorithms : nil }

  /// The algorithms of a list that the profile allows, too; nil for any.
  func algorithms(among listed: [String]?) -> [String]? {
    guard let allowedAlgorithms else { return listed }
    return listed?.filter(allowedAlgorithms.contains) ?? allowedAlgorithms.sorted()
  }
}

/// The checks of the setting `profile`: a request that breaks the profile is not sent, and responses are checked.
@HostActor
package struct ProfileChecks: Sendable {
  private let provider: Provider
  private let client: ProfiledClient
  /// Nil without a profile.
  private let rules: ProfileRules?

  package nonisolated init(_ provider: Provider) {
    self.provider = provider
    client = ProfiledClient(settings: provider.settings)
    rules = provider.settings.profile.map(ProfileRules.rules)
  }

  /// - Throws: `profile_violation` if the profile forbids the algorithm of a token.
  func check(algorithm: String, of noun: String) throws(OAuthError) {
    guard let rules, let allowedAlgorithms = provider.settings.allowedAlgorithms else { return }
    let rule = ProfileRule<String>(
      "5.4.1",
      "signatures must be made with PS256, ES256 or EdDSA, and the \(noun) is signed with \(algorithm.displayable)",
      hint: "the provider does not follow the profile; ask its operator for a key of these algorithms",
      allowedAlgorithms.contains)
    try rules.check(algorithm, by: [rule], .validation)
  }

  /// Checks the client, and the metadata document once. Called before any request that the profile is about.
  func check(_ stage: OAuthError.Stage, policy: String?) async throws(OAuthError) {
    guard let rules else { return }
    try rules.check(client, by: rules.client, stage)
    guard !rules.metadata.isEmpty, !provider.profiledPolicies.contains(policy ?? "") else { return }
    let metadata = try await provider.metadata(policy: policy)
    try rules.check(metadata, by: rules.metadata, stage)
    if let address = metadata[.token], Origin(address)?.scheme == "http" {
      provider.onRemark(
        "\(rules.title), 5.2.1: endpoints must have https; \(address) is allowed because it is on this machine", address
      )
    }
    provider.profiledPolicies.insert(policy ?? "")
  }

  /// Checks an authorization request.
  func check(_ request: AuthorizationRequest, isPushed: Bool) async throws(OAuthError) {
    guard let rules else { return }
    // The metadata document tells whether the provider knows S256.
    if request.pkce?.method == .plain { _ = try? await provider.metadata(policy: request.policy) }
    let methods = provider.knownMetadata(request.policy)?.json["code_challenge_methods_supported"]?.array
    let facts = ProfiledAuthorization(
      request: request, redirectURI: try provider.redirectURI(request.redirectURI), isPushed: isPushed,
      knowsPlainOnly: methods.map { $0.contains("plain") && !$0.contains("S256") } ?? false)
    try rules.check(facts, by: rules.authorization, .authorize)
  }

  func check(_ pushed: PushedRequest) throws(OAuthError) {
    if let rules { try rules.check(pushed, by: rules.pushedRequest, .authorize) }
  }

  /// Checks the parameters of a redirect.
  func check(redirect parameters: [String: String]) throws(OAuthError) {
    if let rules { try rules.check(parameters, by: rules.redirect, .authorize) }
  }

  /// Checks a token request.
  func check(_ request: TokenRequest) throws(OAuthError) {
    guard let rules else { return }
    try rules.check(
      ProfiledTokenRequest(request: request, client: client), by: rules.tokenRequest, request.stage)
  }

  /// Tells of a token response that the profile forbids, and that can be used.
  func remark(on tokens: TokenSet, to request: TokenRequest) {
    guard let rules else { return }
    let answer = ProfiledTokens(tokens: tokens, request: ProfiledTokenRequest(request: request, client: client))
    for rule in rules.remarks where !rule.isKept(answer) {
      provider.onRemark("\(rules.title), \(rule.section): \(rule.sentence); \(rule.hint)", nil)
    }
  }

  /// Checks the client, and the option of a sign-in that its flow does not pass on: `dpop = false`. No request is sent.
  /// - Throws: `profile_violation`
  package func check(isBound: Bool) throws(OAuthError) {
    guard let rules else { return }
    try rules.check(client, by: rules.client, .authorize)
    guard provider.settings.needsProofKey, !isBound, let rule = rules.tokenRequest.last else { return }
    throw rules.error(rule, .authorize)
  }
}
