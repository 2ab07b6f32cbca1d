/// The kind of a provider that has addresses and issuers of its own form.
package enum ProviderKind: String, CaseIterable, Sendable {
  /// Azure AD B2C: an address names a policy.
  case b2c
  /// Microsoft Entra External ID: there are no policies, and there is native authentication.
  case externalID = "external_id"
}

extension Settings {
  /// True if the provider is Microsoft Entra External ID: the setting `kind` says so, or, without it, a host of the
  /// addresses.
  package var isExternalID: Bool {
    if let kind = text(.kind).flatMap(ProviderKind.init) { return kind == .externalID }
    return [authority, authURL, tokenURL].contains { $0.flatMap(PolicyURL.init)?.isExternalID == true }
  }

  /// True if the provider is Microsoft Entra ID or External ID, whose v2.0 endpoints want a refresh to name its scopes
  /// (AADSTS90009).
  package var isEntra: Bool {
    isExternalID || [authority, authURL, tokenURL].contains { $0.flatMap(PolicyURL.init)?.isEntra == true }
  }

  /// True if the provider is Azure AD B2C, Entra ID or External ID: the setting `kind` says so, or an address or a policy.
  package var isMicrosoft: Bool {
    if isEntra || text(.kind) == ProviderKind.b2c.rawValue || !policies.isEmpty { return true }
    return [authority, authURL, tokenURL].contains { $0?.lowercased().contains("b2c") == true }
  }

  /// The address of an endpoint or document of a tenant of External ID, such as
  /// `https://contoso.ciamlogin.com/contoso.onmicrosoft.com/signup/v1.0/start`; nil if no setting names the tenant.
  /// - Parameter path: the path behind the tenant, such as `signup/v1.0/start`.
  package func externalIDAddress(_ path: String) -> String? {
    if let authority { return PolicyURL(authority)?.externalTenant.appending(path) }
    return [tokenURL, authURL].lazy.compactMap(\.self).compactMap(PolicyURL.init).first(where: \.hasEndpoint)?
      .externalTenant.appending(path)
  }

  /// - Throws: `settings_invalid_value` for a policy, which External ID does not have.
  func refusePolicies(_ name: String?) throws(SettingsError) {
    if let name, !name.isEmpty {
      throw SettingsError(
        .invalidValue, file: source, "there is no policy \"\(name)\": Microsoft Entra External ID has no policies",
        hint: "leave out the policy; the user flow of the application decides what a person can do")
    }
    guard policies.isEmpty else {
      throw SettingsError(
        .invalidValue, file: source, "\(source) has policies, which Microsoft Entra External ID does not have",
        hint: "take policies out of the settings, or take kind out if the provider is Azure AD B2C")
    }
  }
}
