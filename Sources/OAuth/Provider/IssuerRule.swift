import Core
import HTTPClient
import Settings

/// Which issuers a metadata document and an ID token may name.
///
/// By the standard (OpenID Connect Discovery, 4.3) a document names only the one its URL is made of, and so do its tokens.
/// Microsoft's services differ, each in a way that is allowed here and no further:
///
/// - Azure AD B2C names `https://HOST/GUID/v2.0/` or `https://HOST/tfp/GUID/POLICY/v2.0/`: a document from a URL with a
///   policy in it may name these, with the same origin and the same policy.
/// - Entra ID names a tenant by its GUID, and for `common` and `organizations` a template, `https://HOST/{tenantid}/v2.0`,
///   which the `tid` of a token fills.
/// - Entra External ID names `https://GUID.ciamlogin.com/GUID/v2.0` in the documents of `https://NAME.ciamlogin.com/…`.
///   With `kind = "external_id"`, also in those of a domain of the tenant's own, whose address then has that GUID.
///   A server on this machine may name its own address with the GUID instead.
package enum IssuerRule {
  private static let suffix = "/.well-known/openid-configuration"
  private static let placeholder = "{tenantid}"

  /// - Parameters:
  ///   - issuer: what the metadata document names.
  ///   - url: where the document was.
  ///   - expected: the issuer of the settings; nil for the rules above.
  ///   - isExternalID: true if the settings say that the provider is Entra External ID.
  /// - Throws: `issuer_mismatch`
  package static func check(_ issuer: String, from url: String, expected: String?, isExternalID: Bool = false)
    throws(OAuthError)
  {
    if let expected {
      guard issuer == expected else {
        throw .mismatch(
          "issuer_mismatch", .metadata, "the metadata document \(url) names another issuer than the settings",
          expected: "\"\(expected)\"", actual: "\"\(issuer)\"")
      }
      return
    }
    let document = WebAddress(url)
    let base = document.base.hasSuffix(suffix) ? String(document.base.dropLast(suffix.count)) : document.base
    // An issuer with a slash at its end has its document in the same place.
    if issuer == base || issuer == base + "/" { return }
    if isB2C(issuer, base: base, policy: policy(of: document, base)) || isEntra(issuer, base: base)
      || Self.isExternalID(issuer, base: base, isDeclared: isExternalID)
    {
      return
    }
    throw .mismatch(
      "issuer_mismatch", .metadata, "the metadata document \(url) names an issuer of another place",
      expected: "\"\(base)\"", actual: "\"\(issuer)\"",
      hint: "if that issuer is yours, put it into the settings as issuer")
  }

  /// The issuer that a token has to name; nil when that is a template and the token's tenant none to fill it with.
  /// - Parameter named: the issuer in the metadata document or of a key, which may be a template.
  package static func issuer(named: String, tenant: String?) -> String? {
    guard named.contains(placeholder) else { return named }
    guard let tenant, isGUID(tenant) else { return nil }
    return named.replacing(placeholder, with: tenant)
  }

  private static func policy(of document: WebAddress, _ base: String) -> String? {
    if let policy = document.field("p") { return policy }
    return base.split(separator: "/").last { $0.lowercased().hasPrefix("b2c_1") }.map(String.init)
  }

  private static func isB2C(_ issuer: String, base: String, policy: String?) -> Bool {
    guard let policy, let origin = Origin(issuer), origin == Origin(base) else { return false }
    var parts = path(issuer)
    guard parts.last == "v2.0" else { return false }
    parts.removeLast()
    if parts.first == "tfp" { parts.removeFirst() }
    guard let tenant = parts.first, names(tenant, in: path(base)) else { return false }
    return parts.count == 1 || (parts.count == 2 && parts[1].lowercased() == policy.lowercased())
  }

  /// True if `tenant` may be the one in the address: the same, or a GUID where the address has a name.
  private static func names(_ tenant: String, in address: [String]) -> Bool {
    if address.contains(where: { $0.lowercased() == tenant.lowercased() }) { return true }
    return isGUID(tenant) && !address.contains(where: isGUID)
  }

  private static func isEntra(_ issuer: String, base: String) -> Bool {
    guard let origin = Origin(base), MicrosoftHost.isEntra(origin.host), let tenant = entraTenant(base) else {
      return false
    }
    let place = "https://\(origin.host)/"
    if ["common", "organizations"].contains(tenant.lowercased()) { return issuer == "\(place)\(placeholder)/v2.0" }
    return path(issuer).first.map { isGUID($0) && issuer == "\(place)\($0)/v2.0" && names($0, in: [tenant]) } ?? false
  }

  private static func isExternalID(_ issuer: String, base: String, isDeclared: Bool) -> Bool {
    guard let origin = Origin(base), let named = path(issuer).first, isGUID(named) else { return false }
    let isKnownHost = MicrosoftHost.isExternalID(origin.host)
    let parts = path(base)
    guard isKnownHost || isDeclared, parts.count == 2, parts[1] == "v2.0", names(named, in: [parts[0]]) else {
      return false
    }
    if origin.isLoopback { return Origin(issuer) == origin && issuer.hasSuffix("/\(named)/v2.0") }
    // Only Microsoft's own host names tie a tenant's name to its GUID.
    return base.lowercased().hasPrefix("https:") && issuer == "https://\(named).ciamlogin.com/\(named)/v2.0"
      && (isKnownHost || parts[0].lowercased() == named.lowercased())
  }

  /// The tenant in `https://HOST/TENANT/v2.0`.
  private static func entraTenant(_ base: String) -> String? {
    let parts = path(base)
    return base.lowercased().hasPrefix("https:") && parts.count == 2 && parts[1] == "v2.0" ? parts[0] : nil
  }

  private static func path(_ url: String) -> [String] { url.split(separator: "/").dropFirst(2).map(String.init) }

  private static func isGUID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { $0.isASCII && $0.isHexDigit }
  }
}
