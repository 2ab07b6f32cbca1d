import Core
import HTTPClient
import HostLoop
import JSON
import Markup
import Settings

/// The errors about answers of endpoints.
extension EndpointRequest {
  /// The error about a failed answer: the provider's own error, if the answer has one.
  func failure(_ response: HTTPResponse) -> OAuthError {
    let secrets = redactor
    var error: OAuthError
    let json = Result { () throws(JSONError) in try JSON(parsing: response.body, maximumDepth: 32) }
    // A member that is null is not there.
    if let members = (try? json.get())?.object?.filter({ $0.value != .null }), members["error"] != nil {
      error = OAuthError(
        provider: members.mapValues { $0.string ?? $0.encoded() }, stage: stage, status: response.status)
    } else {
      error = unexpected(response, json.failure, secrets)
    }
    error.wait(response.retryAfter)
    error = error.about(policy: policy, provider.settings)
    explainAuthentication(&error)
    error.message = secrets.clean(error.message)
    error.hint = error.hint.map(secrets.clean)
    error.details = error.details.mapValues(secrets.clean)
    return error
  }

  /// The error about a success without what a standard demands.
  /// - Parameter what: the words behind the name of the endpoint: `answered without a sub`.
  func malformed(_ what: String, hint: String? = nil, status: Int? = nil) -> OAuthError {
    OAuthError("malformed_response", stage, "\(name) \(url) \(what)", hint: hint, status: status)
  }

  /// Says how the secret was sent: some providers list ways that they refuse, and not every one says `invalid_client`.
  private func explainAuthentication(_ error: inout OAuthError) {
    guard let method = try? authentication, method != .none,
      error.code == "invalid_client" || error.details["error"] == nil && [401, 403].contains(error.status)
    else { return }
    if method.isAssertion {
      let other = provider.settings.clientAssertionAudience == "issuer" ? "endpoint" : "issuer"
      error.hint =
        "check clientID, the key or secret and its registration; the assertion was for the "
        + "\(provider.settings.clientAssertionAudience), and clientAssertionAudience = \(other) makes one for the \(other)"
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

  private func unexpected(
    _ response: HTTPResponse, _ problem: JSONError?, _ secrets: Redactor
  ) -> OAuthError {
    let status = response.status
    var message = "\(name) \(url) answered \(status)"
    var hint: String?
    switch status {
    case 300..<400:
      message += " with a redirect" + (response.headers["Location"].map { " to \($0)" } ?? "")
      hint = self.hint
    case 200..<300 where problem == nil: message += " with JSON that is not an object"
    default:
      if let problem { message += response.reason(problem) }
      // A success in another form than expected holds tokens that nobody knows yet to be secrets.
      if status >= 400 || response.isMarkup { message += response.excerpt(without: secrets) }
      if status >= 500 || status == 429 || problem.map(response.isBroken) == true {
        hint = "the provider or the network is in trouble; try again later"
      } else if status == 404 || status < 300 {
        hint = self.hint
      }
    }
    return OAuthError(
      (200..<400).contains(status) ? "malformed_response" : "http_\(status)", stage, message, hint: hint,
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
