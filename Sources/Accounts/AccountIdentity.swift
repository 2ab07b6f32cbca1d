import JSON

/// The identity of an account: two sign-ins with the same issuer, subject, account type and policy are one account.
///
/// The policy counts because Azure AD B2C refuses a refresh token at any policy but the one that issued it
/// (AADB2C90088).
struct AccountIdentity: Hashable, Sendable {
  let issuer: String
  let subject: String
  let accountType: String
  /// In the letter case it was given.
  let policy: String?

  /// Policy names are compared without regard to letter case, as Azure AD B2C does.
  static func policyKey(_ policy: String?) -> String { policy?.lowercased() ?? "" }
}

/// The name an account is shown by: `name`, else the first of `emails`, else `preferred_username`, else `sub`.
func displayName(claims: JSON) -> String {
  let candidates = [claims["name"], claims["emails"]?.array?.first, claims["preferred_username"], claims["sub"]]
  return candidates.lazy.compactMap { $0?.string }.first { !$0.isEmpty } ?? ""
}
