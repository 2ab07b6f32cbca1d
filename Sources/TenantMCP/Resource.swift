import Glibc
import HTTPServer
import JOSE
import JSON

/// The protected resource of one request: its metadata (RFC 9728), and the check of its tokens.
struct Resource {
  static let path = "/mcp"
  private static let readingScope = "https://contoso.onmicrosoft.com/tasks/read"
  private static let writingScope = "https://contoso.onmicrosoft.com/tasks/write"

  struct Place: Sendable {
    let scheme: String
    /// The path of the issuer that signs users in.
    let issuerPath: String
  }

  private let request: ServerRequest
  private let place: Place
  private let tenant: (ServerRequest) -> ServerResponse
  private let origin: String

  init(_ request: ServerRequest, _ place: Place, _ tenant: @escaping (ServerRequest) -> ServerResponse) {
    self.request = request
    self.place = place
    self.tenant = tenant
    origin = "\(place.scheme)://\(request.header("Host") ?? "")"
  }

  enum Admission {
    /// The user by the claim `oid`.
    case admitted(String)
    case refused(ServerResponse)
  }

  func metadata() -> ServerResponse {
    let document: JSON = [
      "resource": .string(origin + Self.path), "authorization_servers": [.string(origin + place.issuerPath)],
      "scopes_supported": [.string(Self.readingScope), .string(Self.writingScope)],
      "bearer_methods_supported": ["header"], "resource_name": "The tasks of the local tenant",
    ]
    return ServerResponse(text: document.encoded(), type: "application/json")
  }

  /// The metadata of the authorization server (RFC 8414), whose usual document is the one of OpenID Connect.
  func serverMetadata(at path: String) -> ServerResponse {
    let request = ServerRequest(
      method: request.method, target: path + Self.openID, headers: request.headers)
    return Self.takingDocuments(tenant(request), request)
  }

  private static let openID = "/.well-known/openid-configuration"

  /// The metadata document of the tenant, which says that client ID metadata documents are taken; another response as it is.
  static func takingDocuments(_ response: ServerResponse, _ request: ServerRequest) -> ServerResponse {
    guard request.path.hasSuffix(openID), response.status == 200, var members = try? JSON(parsing: response.body).object
    else { return response }
    members["client_id_metadata_document_supported"] = true
    var changed = response
    changed.body = Array(JSON.object(members).encoded().utf8)
    return changed
  }

  /// Lets a request pass that has a token for this server with the scopes that it needs.
  func admission() -> Admission {
    guard request.header("Authorization") != nil else {
      return .refused(challenge(401, nil, Self.readingScope, "the request has no access token"))
    }
    let probe = ServerRequest(
      method: "GET", target: "/api/tasks", headers: request.headers.filter { $0.0.lowercased() != "content-length" })
    let answer = tenant(probe)
    guard answer.status != 403 else {
      return .refused(challenge(403, "insufficient_scope", Self.readingScope, "the access token lacks a scope"))
    }
    guard answer.status == 200, let claims = claims, let user = claims["oid"]?.string, Self.isValidNow(claims),
      Self.audiences(claims).contains(origin + Self.path)
    else {
      return .refused(
        challenge(401, "invalid_token", Self.readingScope, "the access token is not valid, or not for this server"))
    }
    let scopes = claims["scp"]?.string?.split(separator: " ") ?? []
    guard !isChange || scopes.contains("write") else {
      return .refused(challenge(403, "insufficient_scope", Self.writingScope, "the tool needs another scope"))
    }
    return .admitted(user)
  }

  /// True unless the token is valid from a later time on (RFC 7519, 4.1.5). The clock of an issuer may be five minutes ahead.
  private static func isValidNow(_ claims: JSON) -> Bool {
    (claims["nbf"]?.lenientInteger ?? 0) <= Int64(time(nil)) + 300
  }

  /// The refusal of a token for the MCP server at the task API; nil for other requests.
  func refusal() -> ServerResponse? {
    guard request.path.hasPrefix("/api/tasks"), let claims, Self.audiences(claims) == [origin + Self.path] else {
      return nil
    }
    return ServerResponse(
      status: 401, headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")],
      text: "{\"code\":\"invalid_token\",\"message\":\"the access token is for the MCP server, not for this API\"}",
      type: "application/json")
  }

  /// True for the call of a tool that changes tasks.
  private var isChange: Bool {
    guard request.method == "POST", let message = try? JSON(parsing: request.body, maximumDepth: 32),
      message["method"] == "tools/call"
    else { return false }
    return message["params"]?["name"]?.string != TaskTools.list
  }

  /// The claims of the token, not verified.
  private var claims: JSON? {
    guard let header = request.header("Authorization"), let space = header.firstIndex(of: " ") else { return nil }
    return try? JWT(decoding: String(header[space...].dropFirst())).claims
  }

  private static func audiences(_ claims: JSON) -> [String] {
    claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
  }

  private func challenge(_ status: Int, _ error: String?, _ scope: String, _ reason: String) -> ServerResponse {
    var parameters = [
      "resource_metadata=\"\(origin)/.well-known/oauth-protected-resource\(Self.path)\"", "scope=\"\(scope)\"",
    ]
    if let error { parameters.insert("error=\"\(error)\", error_description=\"\(reason)\"", at: 0) }
    return ServerResponse(
      status: status, headers: [("WWW-Authenticate", "Bearer \(parameters.joined(separator: ", "))")],
      text: reason, type: "text/plain")
  }
}
