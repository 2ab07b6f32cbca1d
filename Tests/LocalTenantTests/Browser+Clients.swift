import HTTPClient
import HostLoop
import JSON
import LocalTenant

extension Browser {
  nonisolated static let read = "https://contoso.onmicrosoft.com/tasks/read"
  nonisolated static let write = "https://contoso.onmicrosoft.com/tasks/write"
  nonisolated static let allRoles = "https://contoso.onmicrosoft.com/tasks/.default"

  /// Returns a new browser for another policy of the same tenant, with its own cookies.
  func at(policy: String) -> Browser {
    Browser(tenant, base: "\(tenant.url)/\(Self.domain)/\(policy)", http: http)
  }

  /// Sends a form to `oauth2/v2.0/{endpoint}`; nil in `changes` removes a field.
  func ask(
    _ endpoint: String, _ fields: [String: String], _ changes: [String: String?] = [:]
  ) async throws -> (status: Int, body: JSON) {
    var fields = fields
    for (name, value) in changes { fields[name] = value }
    let response = try await post("\(base)/oauth2/v2.0/\(endpoint)", fields.map { ($0.key, $0.value) })
    return (response.status, try JSON(parsing: response.body))
  }

  /// Requests tokens with the password grant, for Alice and the task API.
  func signInByPassword(_ changes: [String: String?] = [:]) async throws -> (status: Int, body: JSON) {
    let fields = [
      "grant_type": "password", "client_id": clientID, "username": "alice", "password": "Wonderland-1",
      "scope": "openid offline_access \(Self.read)",
    ]
    return try await ask("token", fields, changes)
  }

  /// Requests a token with the client credentials grant, for the web application.
  func signInAsApplication(_ changes: [String: String?] = [:]) async throws -> (status: Int, body: JSON) {
    let application = LocalTenant.webApplication
    let fields = [
      "grant_type": "client_credentials", "client_id": application.id, "client_secret": application.secret ?? "",
      "scope": Self.allRoles,
    ]
    return try await ask("token", fields, changes)
  }

  /// Requests device codes for the native application.
  func beginDevice(_ changes: [String: String?] = [:]) async throws -> (status: Int, body: JSON) {
    try await ask("devicecode", ["client_id": clientID, "scope": "openid offline_access \(Self.read)"], changes)
  }

  func poll(_ deviceCode: String, _ changes: [String: String?] = [:]) async throws -> (status: Int, body: JSON) {
    let fields = [
      "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": clientID, "device_code": deviceCode,
    ]
    return try await ask("token", fields, changes)
  }

  /// Sends a request to the task API.
  func call(
    _ method: String, _ path: String = "/api/tasks", token: String?, body: String? = nil,
    type: String = "application/x-www-form-urlencoded", _ headers: [(String, String)] = []
  ) async throws -> HTTPResponse {
    var fields = headers
    if let token { fields.append(("Authorization", "Bearer \(token)")) }
    if body != nil { fields.append(("Content-Type", type)) }
    return try await http.send(
      HTTPRequest(
        method: method, url: tenant.url + path, headers: HTTPHeaders(fields), body: body.map { Array($0.utf8) }))
  }

  func metadata() async throws -> JSON {
    try JSON(parsing: try await get("\(base)/v2.0/.well-known/openid-configuration").body)
  }

  /// Calls the task API with a bearer token.
  func tasks(_ token: String, add text: String? = nil) async throws -> HTTPResponse {
    let headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]
    let url = "\(tenant.url)/api/tasks"
    var request =
      text.map { HTTPRequest.form(url: url, fields: [("Text", $0)], headers: headers) }
      ?? HTTPRequest(url: url, headers: headers)
    request.timeout = 300
    return try await http.send(request)
  }

  /// Follows the tenant's redirects to its own pages.
  func follow() async throws {
    for _ in 0..<5 {
      guard let location = response.headers["Location"], location.hasPrefix(tenant.url) else { return }
      try await get(location)
    }
  }
}

extension JSON {
  /// The first line of `error_description`.
  var complaint: String { String(self["error_description"]?.string?.prefix { !$0.isNewline } ?? "") }
}
