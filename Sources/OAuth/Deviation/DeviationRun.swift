import Core
import HTTPClient
package import HostLoop
import JOSE
import JSON
import Settings

/// A link through which a sign-in deviates, or is only watched.
@HostActor
package final class DeviationRun: ProviderLink {
  /// Further requests of a deviation. The first response and its request are those of the sign-in itself.
  typealias FurtherRequests =
    @HostActor @Sendable (
      _ run: DeviationRun, _ response: JSON, _ request: EndpointRequest
    ) async throws(OAuthError) -> Answer?

  /// The provider's answer to the deviation.
  package enum Answer: Sendable, Equatable {
    case accepted
    /// With the provider's error code, or the status of its response.
    case refused(String)
    /// The deviation could not be tried, and why.
    case untried(String)
  }

  /// Nil to watch a sign-in that does everything right.
  package let deviation: Deviation?
  package private(set) var facts = SignInFacts()
  /// True if something was sent that deviates.
  package private(set) var hasDeviated = false
  /// Nil if the outcome of the sign-in is the answer.
  package private(set) var answer: Answer?
  /// Takes the place of the proof or the assertion of the requests that follow.
  var replayed: (proof: String?, assertion: String?) = (nil, nil)
  /// The last proof and the last assertion that were sent.
  private(set) var last: (proof: String?, assertion: String?) = (nil, nil)
  /// Changes the proofs of the requests that follow.
  var changesProof: (@Sendable (inout JWTDraft) -> Void)?
  private var isBusy = false

  package nonisolated init(_ deviation: Deviation? = nil) { self.deviation = deviation }

  /// True if the success of the sign-in does not mean that the provider accepts the deviation.
  package var needsAnswer: Bool {
    switch deviation?.act {
    case .authorization?, .afterwards?, .reopening?: true
    default: false
    }
  }

  // MARK: The authorization request

  override func changed(_ fields: [(String, String)]) -> [(String, String)] {
    var form = FormFields(fields)
    facts.note(.authorization)
    facts.note(.state, form["state"] != nil)
    facts.note(.nonce, form["nonce"] != nil)
    facts.note(.challenge, form["code_challenge_method"] == "S256")
    facts.challenge = form["code_challenge"]
    switch deviation?.act {
    case .authorization(let change), .client(let change), .exchange(let change?, _):
      change(&form)
      hasDeviated = true
    default: break
    }
    return form.list
  }

  package override func reopens(_ url: String) -> Bool {
    guard case .reopening? = deviation?.act, WebAddress(url).field("request_uri") != nil else { return false }
    hasDeviated = true
    answer = nil
    return true
  }

  override func redirected(to url: String) {
    guard hasDeviated, answer == nil else { return }
    switch deviation?.act {
    case .authorization?, .reopening?: break
    default: return
    }
    guard var parameters = try? AuthorizationResponse.parameters(of: url, expectedRedirectURI: nil) else { return }
    if let signed = parameters["response"], let claims = try? JWT(decoding: signed).claims.object {
      parameters = claims.compactMapValues(\.string)
    }
    if parameters["error"] != nil {
      answer = .refused(OAuthError(provider: parameters, stage: .authorize).code)
    } else if parameters["code"] != nil || parameters["access_token"] != nil || parameters["id_token"] != nil {
      answer = .accepted
    }
  }

  // MARK: Requests to endpoints

  override func changed(_ message: HTTPRequest, _ request: EndpointRequest) async throws(OAuthError) -> HTTPRequest {
    var message = message
    var form = FormFields(URLEncodedForm.decode(String(decoding: message.body ?? [], as: UTF8.self)))
    note(form, message, request)
    if form["grant_type"] == "authorization_code", case .exchange(_, let change?)? = deviation?.act {
      change(&form, facts)
      hasDeviated = true
    }
    if form["client_assertion"] != nil { try await changeAssertion(&form, request) }
    if let proof = message.headers["DPoP"] { message.headers["DPoP"] = try changed(proof: proof, request) }
    last = (message.headers["DPoP"], form["client_assertion"])
    message.body = URLEncodedForm.bytes(form.list)
    return message
  }

  private func note(_ form: FormFields, _ message: HTTPRequest, _ request: EndpointRequest) {
    let isTokenRequest = form["grant_type"] != nil
    let isCode = form["grant_type"] == "authorization_code"
    facts.note(.code, isCode)
    facts.note(.redirectURI, isCode && form["redirect_uri"] != nil)
    facts.note(.pushed, form["response_type"] != nil && !isTokenRequest)
    facts.note(.proof, message.headers["DPoP"] != nil)
    facts.note(.assertion, form["client_assertion"] != nil)
    facts.note(.publicClient, (try? request.authentication) == ClientAuthentication.none)
  }

  private func changeAssertion(
    _ form: inout FormFields, _ request: EndpointRequest
  ) async throws(OAuthError) {
    if let replayed = replayed.assertion {
      form["client_assertion"] = replayed
      return
    }
    guard case .assertion(let change)? = deviation?.act, let text = form["client_assertion"] else { return }
    let key = try await request.provider.credentials.assertionKey(try request.authentication, request.stage)
    do throws(JOSEError) {
      var draft = try JWTDraft(text)
      change(&draft)
      let assertion = try draft.signed(key)
      Redaction.share(assertion)
      form["client_assertion"] = assertion
    } catch { throw OAuthError(error, request.stage) }
    hasDeviated = true
  }

  private func changed(proof: String, _ request: EndpointRequest) throws(OAuthError) -> String {
    if let replayed = replayed.proof { return replayed }
    var change = changesProof
    if change == nil, case .proof(let own)? = deviation?.act { change = own }
    guard let change, let key = request.proofKey?.key else { return proof }
    hasDeviated = true
    do throws(JOSEError) {
      var draft = try JWTDraft(proof)
      change(&draft)
      return try draft.signed(key)
    } catch { throw OAuthError(error, request.stage) }
  }

  /// Also sends what the deviation sends afterwards.
  override func answered(_ response: HTTPResponse, _ request: EndpointRequest) async {
    guard (200..<300).contains(response.status), let json = response.json else { return }
    facts.note(.refreshToken, json["refresh_token"]?.string != nil)
    facts.note(.userinfo, (try? await request.provider.metadata(policy: request.policy))?[.userinfo] != nil)
    guard case .afterwards(let send)? = deviation?.act, !isBusy, answer == nil else { return }
    isBusy = true
    defer { isBusy = false }
    do throws(OAuthError) {
      guard let given = try await send(self, json, request) else { return }
      answer = given
    } catch {
      answer = .untried(error.message)
    }
    hasDeviated = true
    replayed = (nil, nil)
    changesProof = nil
  }

  /// Sends a request once more, or another one, and tells the provider's answer to it.
  func answer(to request: EndpointRequest) async throws(OAuthError) -> Answer {
    do throws(OAuthError) { return Self.answer(try await request.send()) } catch  where error.code == "use_dpop_nonce" {
      return .refused(error.code)
    }
  }

  static func answer(_ response: HTTPResponse) -> Answer {
    if let error = response.json?["error"]?.string { return .refused(error) }
    guard response.status < 500 else { return .untried("the provider answered \(response.status)") }
    return response.status >= 400 ? .refused("http_\(response.status)") : .accepted
  }
}
