import Core

extension Settings {
  /// The names a policy goes by in `policies`.
  static let roles = ["signIn", "signUp", "reset", "edit", "ropc", "mfa"]

  /// The policy meant by a name: an entry of `policies` (`reset`), else the policy of that name itself (`b2c_1_reset`).
  ///
  /// - Parameter name: nil for `policies.signIn`, else for what the URLs of the settings name.
  /// - Returns: nil where the provider has no policies.
  /// - Throws: `settings_missing_key` when the name is one of `policies` that has no entry.
  package func policy(_ name: String? = nil) throws(SettingsError) -> String? {
    guard let name, !name.isEmpty else { return defaultPolicy }
    if let configured = policies[name] { return configured }
    if Self.roles.contains(name) {
      throw missing("policies.\(name)", "the name of your tenant's policy for it (b2c_1_…)")
    }
    // B2C's policies have a prefix: what has none, and is nearly a name of the settings, is misspelled.
    if !PolicyURL.isPolicy(name), let meant = meantPolicy(name) {
      throw SettingsError(
        .invalidValue, file: source, "there is no policy \"\(name)\" in the settings",
        hint: "did you mean \"\(meant)\"?")
    }
    return name
  }

  /// The policy of the settings, or its name there, that was meant by one that is not among them; nil where none is near.
  package func meantPolicy(_ name: String) -> String? {
    let known = policies.keys.sorted() + policies.values.sorted() + [defaultPolicy].compactMap(\.self)
    // The provider does not mind the letter case of a policy.
    let isConfigured = known.contains(name) || policies.values.contains { $0.lowercased() == name.lowercased() }
    guard !isConfigured else { return nil }
    return nearestName(to: name, in: known)
  }

  /// The policy that a URL of Azure AD B2C names; nil for one that names none.
  package static func policy(ofURL url: String) -> String? { PolicyURL(url)?.policy }

  var defaultPolicy: String? {
    if let policy = policies["signIn"] { return policy }
    if let policy = authURL.flatMap(PolicyURL.init)?.policy { return policy }
    return authority?.split(separator: "/").map(String.init).last(where: PolicyURL.isPolicy)
  }

  /// The authorize endpoint for a policy, from `authURL`; nil when that is not set, and the metadata document tells.
  package func authorizationEndpoint(policy: String?) -> String? { endpoint(authURL, policy) }

  /// The token endpoint for a policy, from `tokenURL`.
  package func tokenEndpoint(policy: String?) -> String? { endpoint(tokenURL, policy) }

  /// The logout endpoint for a policy, from `logoutURL`.
  package func logoutEndpoint(policy: String?) -> String? { endpoint(logoutURL, policy) }

  /// The address of the metadata document of a policy; nil when neither `authority` nor an `authURL` of B2C's form tells.
  ///
  /// From `authority`, with the policy put in place of the one it ends in, if any:
  /// - a metadata URL itself: that one;
  /// - a tenant (`https://contoso.b2clogin.com/contoso.onmicrosoft.com`) and a policy:
  ///   `AUTHORITY/POLICY/v2.0/.well-known/openid-configuration`;
  /// - a tenant of Microsoft Entra ID or External ID (`https://contoso.ciamlogin.com/contoso.onmicrosoft.com`):
  ///   `AUTHORITY/v2.0/.well-known/openid-configuration`;
  /// - an issuer without policies: `AUTHORITY/.well-known/openid-configuration`.
  ///
  /// From `authURL`: `…/POLICY/oauth2/v2.0/authorize` becomes `…/POLICY/v2.0/.well-known/openid-configuration`, and `?p=` stays.
  package func metadataURL(policy: String?) -> String? {
    if let authority { return PolicyURL(authority)?.metadata(policy: policy ?? defaultPolicy) }
    return authorizationEndpoint(policy: policy).flatMap(PolicyURL.init)?.metadata
  }

  private func endpoint(_ url: String?, _ policy: String?) -> String? {
    guard let url, let policy = policy ?? defaultPolicy else { return url }
    return PolicyURL(url)?.with(policy: policy).text ?? url
  }
}
