import HTTPClient

/// Which issuers a metadata document may name.
///
/// By the standard (OpenID Connect Discovery, 4.3) only the one its URL is made of. Azure AD B2C names
/// `https://HOST/GUID/v2.0/` or `https://HOST/tfp/GUID/POLICY/v2.0/` instead, so a document from a URL with a policy in
/// it may name these too, with the same origin and the same policy.
enum IssuerRule {
  private static let suffix = "/.well-known/openid-configuration"

  static func check(_ issuer: String, from url: String, expected: String?) throws(OAuthError) {
    if let expected {
      guard issuer == expected else {
        throw .mismatch(
          "issuer_mismatch", .metadata, "the metadata document \(url) names another issuer than the settings",
          expected: "\"\(expected)\"", actual: "\"\(issuer)\"")
      }
      return
    }
    let document = URLQuery(url)
    let base = document.base.hasSuffix(suffix) ? String(document.base.dropLast(suffix.count)) : document.base
    // Whether or not the issuer ends in a slash, its document is in the same place.
    if issuer == base || issuer == base + "/" || isB2C(issuer, base: base, policy: policy(of: document, base)) {
      return
    }
    throw .mismatch(
      "issuer_mismatch", .metadata, "the metadata document \(url) names an issuer of another place",
      expected: "\"\(base)\"", actual: "\"\(issuer)\"",
      hint: "if that issuer is yours, put it into the settings as issuer")
  }

  private static func policy(of document: URLQuery, _ base: String) -> String? {
    if let policy = document.fields.first(where: { $0.name == "p" })?.value { return policy }
    return base.split(separator: "/").last { $0.lowercased().hasPrefix("b2c_1") }.map(String.init)
  }

  private static func isB2C(_ issuer: String, base: String, policy: String?) -> Bool {
    guard let policy, let origin = Origin(issuer), origin == Origin(base) else { return false }
    var parts = path(issuer)
    guard parts.last == "v2.0" else { return false }
    parts.removeLast()
    if parts.first == "tfp" { parts.removeFirst() }
    guard let tenant = parts.first, isGUID(tenant) || path(base).contains(tenant) else { return false }
    return parts.count == 1 || (parts.count == 2 && parts[1].lowercased() == policy.lowercased())
  }

  private static func path(_ url: String) -> [String] {
    url.split(separator: "/").dropFirst(2).map(String.init)
  }

  private static func isGUID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy(\.isHexDigit)
  }
}
