package import Core
import HTTPClient
package import HostLoop
import JOSE
package import JSON

/// The answer of the userinfo endpoint (OpenID Connect Core, 5.3.2).
package struct Userinfo: Sendable {
  package let claims: JSON
  /// True if `sub` was compared with the expected user.
  package let isCompared: Bool
}

/// The endpoint that tells about the user of an access token (OpenID Connect Core, 5.3).
@HostActor
package struct UserinfoEndpoint: Sendable {
  private let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Asks the userinfo endpoint about the user of an access token.
  ///
  /// An answer in a JWT is verified: signature, `iss`, `aud` and `sub`.
  ///
  /// - Parameters:
  ///   - type: the type of the access token, such as `Bearer`.
  ///   - key: the key that the token is bound to.
  ///   - subject: the `sub` of the ID token; nil if it is unknown.
  /// - Throws: `unsupported_token_type` for a token that is no access token; `missing_endpoint`; the provider's error, also one
  ///   in `WWW-Authenticate`; `malformed_response`; `subject_mismatch` for claims of another user.
  package func userinfo(
    _ token: Secret, type: String = "Bearer", key: ProofKey? = nil, subject: String? = nil, policy: String? = nil
  ) async throws(OAuthError) -> Userinfo {
    try TokenSet.checkUse(ofType: type)
    let policy = try provider.resolve(policy, .token)
    let endpoint = try await provider.address(of: .userinfo, policy, .token)
    let request = EndpointRequest(
      provider: provider, name: "the userinfo endpoint", url: endpoint, stage: .token,
      methods: [ClientAuthentication.none.rawValue],
      fields: [("token", token.reveal())], hint: "check userinfo_endpoint in the metadata document", policy: policy,
      accept: "application/json, application/jwt")
    var headers = request.headers
    headers["Authorization"] = "\(type) \(token.reveal())"
    let response = try await send(HTTPRequest(method: "GET", url: endpoint, headers: headers), request, token, key)
    guard response.status == 200 else { throw refusal(response, request) }
    let claims: JSON
    if response.mediaType.lowercased() == "application/jwt" {
      claims = try await IDTokenValidator(provider).validate(
        idToken: String(decoding: response.body, as: UTF8.self), policy: policy, use: .userinfo)
    } else {
      guard let json = response.json, json.object != nil else { throw request.failure(response) }
      claims = json
    }
    guard let actual = claims["sub"]?.string, !actual.isEmpty else {
      throw request.malformed("answered without a sub (OpenID Connect Core, 5.3.2)")
    }
    if let subject, subject != actual {
      throw .mismatch(
        "subject_mismatch", .token, "\(request.name) \(endpoint) answered with the claims of another user (sub)",
        expected: "\"\(subject)\"", actual: "\"\(actual)\"",
        hint: "the claims were not used; somebody may have replaced the access token")
    }
    return Userinfo(claims: claims, isCompared: subject != nil)
  }

  /// Sends a request with a token, and with a proof if the token is bound to a key.
  private func send(
    _ message: HTTPRequest, _ request: EndpointRequest, _ token: Secret, _ key: ProofKey?
  ) async throws(OAuthError) -> HTTPResponse {
    guard let key else { return try await request.deliver(message) }
    do {
      return try await Prover(key, provider.nonces).send(message.method, message.url, token: token) { field in
        var message = message
        message.headers[field.name] = field.value
        return try await request.deliver(message)
      }
    } catch {
      throw error as? OAuthError ?? .unusable(error, .token)
    }
  }

  private func refusal(_ response: HTTPResponse, _ request: EndpointRequest) -> OAuthError {
    guard let challenge = BearerChallenge(response) else {
      var error = request.failure(response)
      if [401, 403].contains(response.status) {
        error.hint = "the provider does not take this access token there; ask for the scope openid"
      }
      return error
    }
    let secrets = request.redactor
    var error = OAuthError(
      provider: challenge.parameters.mapValues(secrets.clean), stage: .token, status: response.status)
    error.wait(response.retryAfter)
    return error
  }
}
