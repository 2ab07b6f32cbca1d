import Core
import FoundationEssentials

/// A URL of Azure AD B2C, in which a policy has one of three places. Any other provider's URL has none.
///
/// - old form: `https://login.microsoftonline.com/TENANT/oauth2/v2.0/authorize?p=POLICY`
/// - new form: `https://NAME.b2clogin.com/TENANT/POLICY/oauth2/v2.0/authorize`
/// - the same behind `/tfp`: `https://NAME.b2clogin.com/tfp/TENANT/POLICY/oauth2/v2.0/authorize`
struct PolicyURL {
  private var components: URLComponents
  /// Parts of the path between slashes, the empty one in front included.
  private var parts: [String]

  init?(_ text: String) {
    guard let components = URLComponents(string: text, encodingInvalidCharacters: false) else { return nil }
    self.components = components
    parts = components.percentEncodedPath.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
  }

  var text: String {
    var result = components
    result.percentEncodedPath = parts.joined(separator: "/")
    return result.string ?? ""
  }

  var policy: String? { query("p") ?? policyIndex.map { parts[$0] } }

  /// The same URL with another policy, where it has a place for one.
  func with(policy: String) -> PolicyURL {
    var result = self
    let encoded = URLEncodedForm.percentEncode(policy)
    if query("p") != nil {
      result.components.queryItems = components.queryItems?.map {
        $0.name == "p" ? URLQueryItem(name: "p", value: policy) : $0
      }
    } else if let index = policyIndex {
      result.parts[index] = encoded
    } else if let tail = tailIndex, tail == (parts.dropFirst().first == "tfp" ? 3 : 2) {
      // A tenant and nothing between it and the endpoint: the old form, its policy left out.
      result.components.queryItems = (components.queryItems ?? []) + [URLQueryItem(name: "p", value: policy)]
    }
    return result
  }

  /// The metadata document that belongs to an authorize endpoint of B2C; nil for another provider's.
  var metadata: String? {
    guard let tail = tailIndex, parts[tail] == "oauth2" else { return nil }
    var result = self
    result.parts = Array(parts[..<tail]) + ["v2.0", ".well-known", "openid-configuration"]
    let policy = components.queryItems?.filter { $0.name == "p" } ?? []
    result.components.queryItems = policy.isEmpty ? nil : policy
    return result.text
  }

  /// The metadata document of an authority (see `Settings.metadataURL(policy:)`).
  func metadata(policy: String?) -> String {
    var result = self
    while result.parts.count > 1, result.parts.last == "" { result.parts.removeLast() }
    if result.parts.suffix(2) == [".well-known", "openid-configuration"] {
      return (policy.map { result.with(policy: $0) } ?? result).text
    }
    let hasVersion = result.parts.last == "v2.0"
    if hasVersion { result.parts.removeLast() }
    let named = policy.map(URLEncodedForm.percentEncode)
    var isB2C = false
    if let last = result.parts.last, Self.isPolicy(last) {
      isB2C = true
      if let named { result.parts[result.parts.count - 1] = named }
    } else if let named, result.query("p") == nil {
      isB2C = true
      result.parts.append(named)
    } else if let policy {
      result = result.with(policy: policy)
    }
    if hasVersion || isB2C || result.isMicrosoftTenant { result.parts.append("v2.0") }
    result.parts += [".well-known", "openid-configuration"]
    return result.text
  }

  /// `https://contoso.ciamlogin.com/contoso.onmicrosoft.com`: without a version its addresses are of an older protocol.
  private var isMicrosoftTenant: Bool {
    let host = components.host ?? ""
    return (MicrosoftHost.isEntra(host) || MicrosoftHost.isExternalID(host)) && parts.count == 2
  }

  /// True if the host is one of Microsoft Entra External ID.
  var isExternalID: Bool { MicrosoftHost.isExternalID(components.host ?? "") }

  /// True if the host is one of Microsoft Entra ID. The old form of Azure AD B2C has it too.
  var isEntra: Bool { MicrosoftHost.isEntra(components.host ?? "") }

  /// True for the address of an endpoint or document behind a tenant.
  var hasEndpoint: Bool { tailIndex != nil }

  /// The tenant of External ID in this address. It follows from the host if the path is empty: the tenant of
  /// `https://contoso.ciamlogin.com` is `contoso.onmicrosoft.com`.
  var externalTenant: PolicyURL {
    var result = self
    if let tail = tailIndex { result.parts = Array(parts[..<tail]) }
    while result.parts.count > 1, ["", "v2.0"].contains(result.parts.last) { result.parts.removeLast() }
    if result.parts.count == 1, isExternalID, let name = components.host?.split(separator: ".").first.map(String.init) {
      result.parts.append(name.count == 36 ? name : "\(name).onmicrosoft.com")
    }
    result.components.queryItems = nil
    return result
  }

  /// The address with this path at its end.
  func appending(_ path: String) -> String {
    var result = self
    result.parts.append(path)
    return result.text
  }

  /// B2C's policies are called `b2c_1_…` and `b2c_1a_…`, in any letter case.
  static func isPolicy(_ name: String) -> Bool { name.lowercased().hasPrefix("b2c_1") }

  private func query(_ name: String) -> String? { components.queryItems?.first { $0.name == name }?.value }

  /// The index of `oauth2/v2.0/…`, `v2.0/.well-known/…` or `discovery/v2.0/…`.
  private var tailIndex: Int? {
    parts.indices.dropFirst().first { index in
      guard index + 1 < parts.count else { return false }
      switch parts[index] {
      case "oauth2", "discovery": return parts[index + 1] == "v2.0"
      case "v2.0": return parts[index + 1] == ".well-known"
      default: return false
      }
    }
  }

  private var policyIndex: Int? {
    guard let tail = tailIndex, tail > (parts[1] == "tfp" ? 3 : 2) else { return nil }
    return tail - 1
  }
}
