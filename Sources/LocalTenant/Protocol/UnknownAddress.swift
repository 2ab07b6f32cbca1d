/// The part of an address that the tenant does not know.
enum UnknownAddress {
  case endpoint
  case tenant(String)
  /// No policy is in the path or in `?p=`.
  case noPolicy
  case policy(String)

  private static let policies = Contoso.policies.map(\.name).joined(separator: ", ")

  /// The message for programs.
  var message: String {
    switch self {
    case .endpoint: "there is no such endpoint"
    case .tenant(let name): "there is no tenant \(name) here, only \(Contoso.domain)"
    case .noPolicy:
      "the request names no policy: neither in the path nor as ?p=; its policies are \(Self.policies)"
    case .policy(let name): "there is no policy \(name) in \(Contoso.domain); its policies are \(Self.policies)"
    }
  }

  /// The message for a user who may have mistyped the address.
  func text(_ texts: Texts) -> String {
    switch self {
    case .endpoint: texts.unknownAddress
    case .tenant(let name): "\(texts.fill(\.unknownTenant, name)) \(texts.fill(\.onlyTenant, Contoso.domain))"
    case .noPolicy: "\(texts.missingPolicy) \(texts.fill(\.knownPolicies, Self.policies))"
    case .policy(let name): "\(texts.fill(\.unknownPolicy, name)) \(texts.fill(\.knownPolicies, Self.policies))"
    }
  }
}
