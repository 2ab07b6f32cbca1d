import Core
import FoundationEssentials
import HTTPClient
import HostLoop
import JOSE
import JSON
import Settings

/// A form sent to an endpoint at which the client says who it is (RFC 6749, 2.3).
@HostActor
struct EndpointRequest: Sendable {
  let provider: Provider
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

  /// The largest response, in bytes. Honest ones, with tokens of many groups, have a tenth of it.
  nonisolated private static let maximumSize = 1 << 20

  /// Sends the form. With a proof (RFC 9449, 5), it is sent once more where the endpoint asks for its nonce (8). The message
  /// is made anew each time: a provider takes a client assertion once.
  func send() async throws(OAuthError) -> HTTPResponse {
    var isRepeated = false
    while true {
      var message = try await message()
      if let proofKey {
        let content = ProofContent(method: message.method, url: url, tokenHash: nil, nonce: provider.nonces[url])
        do throws(JOSEError) { message.headers["DPoP"] = try proofKey.proof(content, now: provider.now()) } catch {
          throw OAuthError(error, stage)
        }
      }
      let answer = try await deliver(try await provider.link.changed(message, self))
      await provider.link.answered(answer, self)
      guard proofKey != nil else { return answer }
      do throws(NonceError) {
        let mustRepeat = try provider.nonces.mustRepeat(
          "POST", url, answer, isRefusal: answer.asksForNonce, isRepeated: isRepeated)
        guard mustRepeat else { return answer }
      } catch { throw OAuthError(error, stage) }
      isRepeated = true
    }
  }

  /// - Throws: the provider's error, whatever its status; `malformed_response` for what is no JSON object.
  func object() async throws(OAuthError) -> (json: JSON, response: HTTPResponse) {
    let response = try await send()
    guard (200..<300).contains(response.status), let json = response.json, let members = json.object,
      members["error"] ?? .null == .null
    else { throw failure(response) }
    return (json, response)
  }

  /// Sends a message to the endpoint. An endpoint that redirects is none: what is sent here belongs nowhere else.
  func deliver(_ message: HTTPRequest) async throws(OAuthError) -> HTTPResponse {
    var message = message
    message.followsRedirects = false
    message.maximumBodySize = Self.maximumSize
    message.timeout = provider.timeout
    message.addresses = provider.addresses(of: url, policy)
    message.certificate = try await provider.credentials.certificate(stage)
    let response: HTTPResponse
    do { response = try await provider.http.send(message) } catch {
      var failure = OAuthError(error, stage, name)
      if error.kind == .permissionDenied, provider.knownMetadata(policy)?.isAlias(url) == true {
        failure.message += "; \(name) is there for clients with a certificate (mtls_endpoint_aliases)"
      }
      throw failure
    }
    provider.clock.note(response, at: provider.now())
    if proofKey != nil { provider.nonces.note(response, url) }
    return response
  }

  /// The header fields of every request to an endpoint.
  var headers: HTTPHeaders {
    var headers = HTTPHeaders(provider.settings.customHeaders.sorted { $0.key < $1.key })
    headers["Accept"] = accept
    headers["Authorization"] = nil
    return headers
  }

  /// The way in which the client says who it is.
  var authentication: ClientAuthentication {
    get throws(OAuthError) { try ClientAuthentication(provider.settings, self) }
  }

  private func message() async throws(OAuthError) -> HTTPRequest {
    let clientID = try provider.clientID(stage)
    var fields = fields
    var headers = headers
    let names = Set(fields.map(\.0))
    let method = try authentication
    if let credentials = try basic {
      headers["Authorization"] = "Basic \(credentials)"
    } else {
      if !names.contains("client_id") { fields.append(("client_id", clientID)) }
      if method == .post, let secret = provider.settings.clientSecret, !names.contains("client_secret") {
        fields.append(("client_secret", secret.reveal()))
      }
      if method.isAssertion, !names.contains("client_assertion") { fields += try await assertion(method, clientID) }
    }
    return HTTPRequest.form(url: url, fields: fields, headers: headers)
  }

  /// The credentials in `Authorization`, with both halves form-encoded (RFC 6749, 2.3.1); nil for another way.
  private var basic: String? {
    get throws(OAuthError) {
      guard try authentication == .basic, let secret = provider.settings.clientSecret else { return nil }
      let halves = [try provider.clientID(stage), secret.reveal()].map(URLEncodedForm.percentEncode)
      return Data(halves.joined(separator: ":").utf8).base64EncodedString()
    }
  }

  /// The secrets of the request, for the messages about its response: a provider may repeat them.
  var redactor: Redactor {
    let others = [provider.settings.clientSecret?.reveal(), try? basic].compactMap(\.self)
    return Redactor(fields.filter { SecretName.kind($0.0) != nil }.map(\.1) + others)
  }
}

extension HTTPResponse {
  /// The body, if it is JSON.
  var json: JSON? { try? JSON(parsing: body, maximumDepth: 32) }

  /// True if the token endpoint refused a proof for its nonce.
  fileprivate var asksForNonce: Bool {
    (400..<500).contains(status) && json?["error"]?.string == "use_dpop_nonce"
  }

  /// True if `WWW-Authenticate` names the error (RFC 6750, 3).
  package func challenges(_ error: String) -> Bool {
    headers.all("WWW-Authenticate").contains { challenge in
      challenge.split { $0 == "," || $0 == " " }.contains { $0 == "error=\"\(error)\"" || $0 == "error=\(error)" }
    }
  }
}
