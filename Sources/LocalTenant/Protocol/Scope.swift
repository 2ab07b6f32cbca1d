import JSON

/// The scopes that a client requests, checked, and their one resource.
struct Scope {
  /// The scopes in the order and spelling of the request, without duplicates.
  let values: [String]
  /// `aud` of the access token: the task API, or the ID of an application, usually of the client itself.
  let resource: String?

  var hasOpenID: Bool { values.contains("openid") }
  var hasOfflineAccess: Bool { values.contains("offline_access") }
  /// The permissions for `scp`, such as `read` and `write`. Empty in a token for the client itself.
  var permissions: [String] {
    values.compactMap {
      $0.hasPrefix(Contoso.taskScopePrefix) ? String($0.dropFirst(Contoso.taskScopePrefix.count)) : nil
    }
  }
  /// `aud` of an access token without a named resource; nil without one. Details without a scope are for the task API.
  func audience(_ details: RichDetails?) -> JSON? {
    (resource ?? (details == nil ? nil : Contoso.tasksAPI)).map { .string($0) }
  }
  /// The scopes of an access token, as the token response repeats them.
  var text: String { values.joined(separator: " ") }

  /// `profile` and `email` are accepted because many clients always send them. They have no effect.
  private static let plain: Set = ["openid", "offline_access", "profile", "email"]

  init(_ text: String, client: Application) throws(ProtocolError) {
    var values: [String] = []
    var resources: [String] = []
    for value in text.split(whereSeparator: \.isWhitespace).map(String.init) where !values.contains(value) {
      values.append(value)
      guard !Self.plain.contains(value) else { continue }
      let resource = try Self.resource(of: value, client: client)
      if !resources.contains(resource) { resources.append(resource) }
    }
    guard !values.isEmpty else { throw ProtocolError(90010) }
    guard resources.count <= 1 else { throw ProtocolError(90146, text) }
    self.values = values
    resource = resources.first
  }

  private static func resource(of value: String, client: Application) throws(ProtocolError) -> String {
    // In B2C a client's own ID is a scope. The ID of another application is the scope for that API.
    if value.lowercased() == client.id { return client.id }
    if let application = Contoso.application(value) { return application.id }
    // `.default` is for permissions of applications, not of users.
    guard !value.hasSuffix("/.default") else { throw ProtocolError(90012, value) }
    guard value.hasPrefix(Contoso.taskScopePrefix) else { throw ProtocolError(90117, value) }
    guard Contoso.taskScopes.contains(value) else { throw ProtocolError(90205) }
    return Contoso.tasksAPI
  }
}
