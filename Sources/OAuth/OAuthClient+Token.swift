import FoundationEssentials
import HTTPClient
import HostLoop
import JOSE
import Secrets
import Settings

extension OAuthClient {
  private static let maximumSize = 4 << 20

  /// Sends a token request (RFC 6749, 3.2).
  ///
  /// - Throws: the provider's error, whatever status it came with; `malformed_response` for what is no token response;
  ///   `missing_access_token` when the answer has neither an access token nor an ID token.
  package func token(_ request: TokenRequest) async throws(OAuthError) -> TokenResponse {
    let policy = try resolve(request.policy, request.stage)
    let clientID = try clientID(request.stage)
    let endpoint: String
    // What the settings name is taken as it is, without asking the metadata document for the way to authenticate.
    var methods = ["client_secret_post"]
    if let url = settings.tokenEndpoint(policy: policy) {
      endpoint = url
    } else {
      endpoint = try await self.endpoint(\.tokenEndpoint, "tokenURL", policy, request.stage)
      methods = try await metadata(policy: policy).tokenEndpointAuthMethods
    }
    let message = self.message(request, endpoint, clientID, methods)
    let response: HTTPResponse
    do { response = try await http.send(message) } catch {
      throw OAuthError(error, request.stage, "the token endpoint")
    }
    return try read(response, request, endpoint, clientID)
  }

  private func message(
    _ request: TokenRequest, _ endpoint: String, _ clientID: String, _ methods: [String]
  ) -> HTTPRequest {
    var fields = [("grant_type", request.grantType)]
    fields += request.parameters.sorted { $0.key < $1.key }.filter { $0.key != "grant_type" }
    if let scopes = request.scopes, !scopes.isEmpty, request.parameters["scope"] == nil {
      fields.append(("scope", scopes.joined(separator: " ")))
    }
    var headers = HTTPHeaders(settings.customHeaders.sorted { $0.key < $1.key })
    headers["Accept"] = "application/json"
    headers["Authorization"] = nil
    let sendsBasic = methods.contains("client_secret_basic") && !methods.contains("client_secret_post")
    if let secret = settings.clientSecret, sendsBasic {
      headers["Authorization"] = Self.basic(clientID, secret)
    } else {
      if request.parameters["client_id"] == nil { fields.append(("client_id", clientID)) }
      if let secret = settings.clientSecret, request.parameters["client_secret"] == nil {
        fields.append(("client_secret", secret.reveal()))
      }
    }
    var message = HTTPRequest.form(url: endpoint, fields: fields, headers: headers)
    // A token endpoint that redirects is none: what is sent here belongs nowhere else.
    message.followsRedirects = false
    message.maximumBodySize = Self.maximumSize
    return message
  }

  /// Both halves form-encoded, as RFC 6749, 2.3.1 has it.
  private static func basic(_ clientID: String, _ secret: Secret) -> String {
    func encoded(_ text: String) -> String { URLEncodedForm.percentEncode(text) }
    let credentials = "\(encoded(clientID)):\(encoded(secret.reveal()))"
    let value = Data(credentials.utf8).base64EncodedString()
    _ = Secret(value)
    return "Basic \(value)"
  }

  private func read(
    _ response: HTTPResponse, _ request: TokenRequest, _ endpoint: String, _ clientID: String
  ) throws(OAuthError) -> TokenResponse {
    let json = try? JSON(parsing: response.body, maximumDepth: 32)
    // What is null is not there.
    if let members = json?.object?.filter({ $0.value != .null }), members["error"] != nil {
      throw OAuthError(
        provider: members.mapValues { $0.string ?? $0.encoded() }, stage: request.stage, status: response.status)
    }
    guard (200..<300).contains(response.status), let json, json.object != nil else {
      throw unexpected(response, request, endpoint, isJSON: json != nil)
    }
    let tokens = TokenResponse(
      json, requestedScopes: request.scopes ?? [], receivedAt: now(), defaultTokenType: settings.tokenType)
    guard tokens.accessToken != nil || tokens.idToken != nil else {
      throw TokenResponse.noAccessToken(request.scopes ?? [], clientID)
    }
    return tokens
  }

  private func unexpected(
    _ response: HTTPResponse, _ request: TokenRequest, _ endpoint: String, isJSON: Bool
  ) -> OAuthError {
    let status = response.status
    var message = "the token endpoint \(endpoint) answered \(status)"
    var hint: String?
    switch status {
    case 300..<400:
      message += " with a redirect" + (response.headers["Location"].map { " to \($0)" } ?? "")
      hint = "check tokenURL in the settings"
    case 200..<300 where isJSON: message += " with JSON that is not an object"
    default:
      if !isJSON { message += " with \(response.mediaType) instead of JSON" }
      // A success in another form than expected holds tokens that nobody knows yet to be secrets.
      if status >= 400 || response.isMarkup { message += response.excerpt }
      hint = status == 404 || status < 300 ? "check tokenURL and policies in the settings" : nil
    }
    return OAuthError(
      (200..<400).contains(status) ? "malformed_response" : "http_\(status)", request.stage, message, hint: hint,
      status: status, isRetryable: status >= 500 || status == 429)
  }
}
