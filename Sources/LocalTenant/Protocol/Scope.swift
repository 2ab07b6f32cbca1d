/// The scopes that a client requests, checked, and their one resource.
struct Scope {
  enum Resource: Equatable {
    /// The ID of an application, usually the client itself.
    case client(String)
    case tasksAPI

    /// `aud` of the access token.
    var audience: String {
      switch self {
      case .client(let id): id
      case .tasksAPI: Contoso.tasksAPI
      }
    }
  }

  /// The scopes in the order and spelling of the request, without duplicates.
  let values: [String]
  let resource: Resource?

  var hasOpenID: Bool { values.contains("openid") }
  var hasOfflineAccess: Bool { values.contains("offline_access") }
  /// The permissions for `scp`, such as `read` and `write`. Empty in a token for the client itself.
  var permissions: [String] {
    values.compactMap {
      $0.hasPrefix(Contoso.taskScopePrefix) ? String($0.dropFirst(Contoso.taskScopePrefix.count)) : nil
    }
  }
  /// The scopes of an access token, as the token response repeats them.
  var text: String { values.joined(separator: " ") }

  /// `profile` and `email` are accepted because many clients always send them. They have no effect.
  private static let plain: Set = ["openid", "offline_access", "profile", "email"]

  init(_ text: String, client: Application) throws(ProtocolError) {
    var values: [String] = []
    var resources: [Resource] = []
    for part in text.split(whereSeparator: \.isWhitespace) where !values.contains(String(part)) {
      let value = String(part)
      values.append(value)
      guard !Self.plain.contains(value) else { continue }
      let resource = try Self.resource(of: value, client: client)
      if !resources.contains(resource) { resources.append(resource) }
    }
    guard !values.isEmpty else { throw .noScope }
    guard resources.count <= 1 else { throw .severalResources(text) }
    self.values = values
    resource = resources.first
  }

  private static func resource(of value: String, client: Application) throws(ProtocolError) -> Resource {
    // In B2C a client's own ID is a scope. The ID of another application is the scope for that API.
    if let application = Contoso.application(value) { return .client(application.id) }
    // `.default` is for permissions of applications, not of users.
    guard !value.hasSuffix("/.default") else {
      throw ProtocolError("invalid_scope", "90012", "The scope '\(value)' provided in request is not supported.")
    }
    if value.hasPrefix(Contoso.taskScopePrefix) {
      guard Contoso.taskScopes.contains(String(value.dropFirst(Contoso.taskScopePrefix.count))) else {
        throw ProtocolError(
          "access_denied", "90205",
          "This application does not have sufficient permissions against this web resource to perform the operation.")
      }
      return .tasksAPI
    }
    throw .unsupportedScope(value)
  }
}
