import Core
import FoundationEssentials
import HTTPClient
import HostLoop
import JSON
import Markup
import Settings

extension OAuthClient {
  /// The largest response, in bytes. Honest ones, with tokens of many groups, have a tenth of it.
  private static let maximumSize = 1 << 20

  func send(_ request: EndpointRequest) async throws(OAuthError) -> HTTPResponse {
    let response = try await sendOnce(request)
    await deviation?.answered(response, request, self)
    return response
  }

  func sendOnce(_ request: EndpointRequest) async throws(OAuthError) -> HTTPResponse {
    if let key = request.proofKey { return try await send(request, provenBy: key) }
    return try await send(try await message(request), request)
  }

  /// Sends a message for a request. An endpoint that redirects is none: what is sent here belongs nowhere else.
  func send(_ message: HTTPRequest, _ request: EndpointRequest) async throws(OAuthError) -> HTTPResponse {
    var message = try await deviation?.changed(message, request, self) ?? message
    message.followsRedirects = false
    message.maximumBodySize = Self.maximumSize
    message.timeout = timeout
    message.certificate = try await certificate(request.stage)
    let response: HTTPResponse
    do { response = try await http.send(message) } catch {
      var failure = OAuthError(error, request.stage, request.name)
      if error.kind == .permissionDenied, knownMetadata(request.policy)?.isAlias(request.url) == true {
        failure.message += "; \(request.name) is there for clients with a certificate (mtls_endpoint_aliases)"
      }
      throw failure
    }
    clock.note(response, at: now())
    return response
  }

  /// The header fields of every request to an endpoint.
  var endpointHeaders: HTTPHeaders {
    var headers = HTTPHeaders(settings.customHeaders.sorted { $0.key < $1.key })
    headers["Accept"] = "application/json"
    headers["Authorization"] = nil
    return headers
  }

  /// - Throws: the provider's error, whatever its status; `malformed_response` for what is no JSON object.
  func object(_ request: EndpointRequest) async throws(OAuthError) -> (json: JSON, response: HTTPResponse) {
    let response = try await send(request)
    guard (200..<300).contains(response.status), let json = try? JSON(parsing: response.body, maximumDepth: 32),
      let members = json.object, members["error"] ?? .null == .null
    else { throw failure(response, request) }
    return (json, response)
  }

  func failure(_ response: HTTPResponse, _ request: EndpointRequest) -> OAuthError {
    let secrets = request.redactor(try? basic(request), settings.clientSecret)
    var error: OAuthError
    let json = Result { () throws(JSONError) in try JSON(parsing: response.body, maximumDepth: 32) }
    // A member that is null is not there.
    if let members = (try? json.get())?.object?.filter({ $0.value != .null }), members["error"] != nil {
      error = OAuthError(
        provider: members.mapValues { $0.string ?? $0.encoded() }, stage: request.stage, status: response.status)
    } else {
      error = unexpected(response, request, json.failure, secrets)
    }
    error.wait(response.retryAfter)
    error = error.about(policy: request.policy, settings)
    explainAuthentication(&error, request)
    error.message = secrets.clean(error.message)
    error.hint = error.hint.map(secrets.clean)
    error.details = error.details.mapValues(secrets.clean)
    return error
  }

  /// Says how the secret was sent: some providers list ways that they refuse, and not every one says `invalid_client`.
  private func explainAuthentication(_ error: inout OAuthError, _ request: EndpointRequest) {
    guard let method = try? ClientAuthentication(settings, request), method != .none,
      error.code == "invalid_client" || error.details["error"] == nil && [401, 403].contains(error.status)
    else { return }
    if method.isAssertion {
      let other = settings.clientAssertionAudience == "issuer" ? "endpoint" : "issuer"
      error.hint =
        "check clientID, the key or secret and its registration; the assertion was for the "
        + "\(settings.clientAssertionAudience), and clientAssertionAudience = \(other) makes one for the \(other)"
      return
    }
    if method.isCertificate {
      error.hint = "check clientID, and that the certificate of clientCertificate is registered for it"
      return
    }
    let other: ClientAuthentication = method == .basic ? .post : .basic
    error.hint =
      (error.hint ?? "check clientID and clientSecret in the settings")
      + "; the secret was sent by \(method.rawValue), and clientAuthentication = \(other.rawValue) sends it another way"
  }

  func message(_ request: EndpointRequest) async throws(OAuthError) -> HTTPRequest {
    let clientID = try clientID(request.stage)
    var fields = request.fields
    var headers = endpointHeaders
    headers["Accept"] = request.accept
    let names = Set(fields.map(\.0))
    let method = try ClientAuthentication(settings, request)
    if let credentials = try basic(request) {
      headers["Authorization"] = credentials
    } else {
      if !names.contains("client_id") { fields.append(("client_id", clientID)) }
      if method == .post, let secret = settings.clientSecret, !names.contains("client_secret") {
        fields.append(("client_secret", secret.reveal()))
      }
      if method.isAssertion, !names.contains("client_assertion") {
        fields += try await assertion(method, clientID, request)
      }
    }
    return HTTPRequest.form(url: request.url, fields: fields, headers: headers)
  }

  /// The value of `Authorization`, with both halves form-encoded (RFC 6749, 2.3.1); nil for another way.
  private func basic(_ request: EndpointRequest) throws(OAuthError) -> String? {
    guard try ClientAuthentication(settings, request) == .basic, let secret = settings.clientSecret else { return nil }
    let credentials = [try clientID(request.stage), secret.reveal()].map(URLEncodedForm.percentEncode).joined(
      separator: ":")
    return "Basic \(Data(credentials.utf8).base64EncodedString())"
  }

  private func unexpected(
    _ response: HTTPResponse, _ request: EndpointRequest, _ problem: JSONError?, _ secrets: Redactor
  ) -> OAuthError {
    let status = response.status
    var message = "\(request.name) \(request.url) answered \(status)"
    var hint: String?
    switch status {
    case 300..<400:
      message += " with a redirect" + (response.headers["Location"].map { " to \($0)" } ?? "")
      hint = request.hint
    case 200..<300 where problem == nil: message += " with JSON that is not an object"
    default:
      if let problem { message += response.reason(problem) }
      // A success in another form than expected holds tokens that nobody knows yet to be secrets.
      if status >= 400 || response.isMarkup { message += response.excerpt(without: secrets) }
      if status >= 500 || status == 429 || problem.map(response.isBroken) == true {
        hint = "the provider or the network is in trouble; try again later"
      } else if status == 404 || status < 300 {
        hint = request.hint
      }
    }
    return OAuthError(
      (200..<400).contains(status) ? "malformed_response" : "http_\(status)", request.stage, message, hint: hint,
      status: status, isRetryable: status >= 500 || status == 429)
  }
}

extension HTTPResponse {
  fileprivate func isBroken(_ problem: JSONError) -> Bool { mediaType.hasSuffix("json") && !body.isEmpty }

  /// Why the answer is no JSON, without a word of it: it may hold half a token.
  fileprivate func reason(_ problem: JSONError) -> String {
    guard !body.isEmpty else { return " with an empty body" }
    guard isBroken(problem) else { return " with \(mediaType) instead of JSON" }
    let place = problem.line.map { " (line \($0), column \(problem.column ?? 1))" } ?? ""
    return problem.reason.hasPrefix("duplicate object key")
      ? " with JSON that has a name twice in one object\(place)" : " with damaged JSON\(place)"
  }

  /// The text of a response that is not the expected JSON, behind a colon, for a message; empty when it has none.
  func excerpt(without secrets: Redactor = Redactor()) -> String {
    func clean(_ text: String) -> String { secrets.clean(Redaction.forScripts(text)) }
    var words = clean(String(decoding: body.prefix(64 << 10), as: UTF8.self))
    // Without libxml2 the page's source has to do.
    if isMarkup, let page = try? HTMLDocument(parsing: body) {
      words = clean(page.text.isEmpty ? page.title : page.text)
    }
    var longest = 160
    // A sentence for people is worth more than the JSON around it.
    if let json = try? JSON(parsing: body, maximumDepth: 32),
      let sentence = ["message", "error_description", "detail"].lazy.compactMap({ json[$0]?.string }).first
    {
      words = clean(sentence)
      longest = 300
    }
    let line = words.trimmedLines
    guard !line.isEmpty else { return "" }
    return ": \"\(line.count > longest ? line.prefix(longest) + "…" : line[...])\""
  }

  var isMarkup: Bool { headers["Content-Type"]?.lowercased().contains("html") ?? (body.first == UInt8(ascii: "<")) }

  var mediaType: String {
    headers["Content-Type"].flatMap { $0.split(separator: ";").first.map(String.init) } ?? "no type"
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

/// A form sent to an endpoint at which the client says who it is (RFC 6749, 2.3).
struct EndpointRequest {
  /// Names the endpoint in messages: `the token endpoint`.
  var name: String
  var url: String
  var stage: OAuthError.Stage
  /// How the client may identify itself there, as the metadata document names the ways; nil where no document tells.
  var methods: [String]?
  var fields: [(String, String)]
  /// Advice about a response that no such endpoint would give.
  var hint: String?
  /// The key that the answer's tokens are bound to; nil to send no proof.
  var proofKey: ProofKey?
  /// The policy of the endpoint; nil for the default one.
  var policy: String?
  /// The media types that the answer may have.
  var accept = "application/json"

  /// The secrets of the request, for the messages about its response: a provider may repeat them.
  func redactor(_ credentials: String?, _ clientSecret: Secret?) -> Redactor {
    var secrets = fields.filter { SecretName.kind($0.0) != nil }.map(\.1) + [clientSecret?.reveal()].compactMap(\.self)
    if let credentials {
      secrets += credentials.split(separator: " ").dropFirst().map(String.init)
    }
    return Redactor(secrets)
  }
}
