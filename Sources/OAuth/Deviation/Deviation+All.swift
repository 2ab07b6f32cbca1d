import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON

extension Deviation {
  /// All deviations, in the order in which they are tried.
  package static let all: [Deviation] = code + authorization + proofs + assertions + refresh

  // MARK: Codes and PKCE

  private static let verifierRule = Rule.must(
    "the provider checks code_verifier for each code with a code_challenge", "RFC 9700, 2.1.1; RFC 7636, 4.6")

  private static let code: [Deviation] = [
    Deviation(
      "wrong_verifier", "another PKCE verifier", [.code, .challenge], verifierRule,
      .exchange(authorization: nil) { form, _ in form["code_verifier"] = SecureRandom.token(32) }),
    Deviation(
      "missing_verifier", "no PKCE verifier", [.code, .challenge], verifierRule,
      .exchange(authorization: nil) { form, _ in form["code_verifier"] = nil }),
    Deviation(
      "plain_verifier", "the challenge as verifier, as if the method were plain", [.code, .challenge],
      .must("the provider uses the method of the authorization request", "RFC 7636, 4.6 and 7.2"),
      .exchange(authorization: nil) { form, facts in form["code_verifier"] = facts.challenge }),
    Deviation(
      "verifier_without_challenge", "a PKCE verifier for a code without a challenge", [.code, .challenge],
      .must("a verifier is accepted only if the authorization request had a challenge", "RFC 9700, 2.1.1 and 4.8.2"),
      .exchange(
        authorization: {
          $0["code_challenge"] = nil
          $0["code_challenge_method"] = nil
        }, token: nil)),
    Deviation(
      "code_twice", "the code a second time", [.code],
      .must("a code is used once", "RFC 6749, 4.1.2"),
      .afterwards { run, _, request throws(OAuthError) in
        guard FormFields(request.fields)["grant_type"] == "authorization_code" else { return nil }
        return try await run.answer(to: request)
      }),
    Deviation(
      "other_redirect_uri", "another redirect URI at the token endpoint", [.code, .redirectURI],
      .must("the redirect URI is that of the authorization request", "RFC 6749, 4.1.3"),
      .exchange(authorization: nil) { form, _ in form["redirect_uri"] = (form["redirect_uri"] ?? "") + "/other" }),
  ]

  // MARK: Authorization requests

  private static let redirectRule = Rule.must(
    "the provider compares redirect URIs as exact strings, apart from the port of a loopback address",
    "RFC 9700, 2.1 and 4.1.3")

  private static let authorization: [Deviation] = [
    Deviation(
      "redirect_uri_path", "a redirect URI with a longer path", [.authorization, .code], redirectRule,
      .authorization { $0["redirect_uri"] = ($0["redirect_uri"] ?? "") + "/other" }),
    Deviation(
      "redirect_uri_query", "a redirect URI with another query", [.authorization, .code], redirectRule,
      .authorization {
        let uri = $0["redirect_uri"] ?? ""
        $0["redirect_uri"] = uri + (uri.contains("?") ? "&" : "?") + "other=1"
      }),
    Deviation(
      "implicit", "an access token in the redirect (response_type=token)", [.authorization, .code],
      .should("access tokens come from the token endpoint only", "RFC 9700, 2.1.2"),
      .authorization {
        $0["response_type"] = "token"
        $0["response_mode"] = nil
        $0["code_challenge"] = nil
        $0["code_challenge_method"] = nil
      }),
    Deviation(
      "missing_state", "a redirect without the state", [.authorization, .state],
      .must("the client refuses a redirect that is not bound to its own request", "RFC 6749, 10.12; RFC 9700, 4.7.1"),
      .client { $0["state"] = nil }),
    Deviation(
      "changed_nonce", "an ID token with another nonce", [.authorization, .nonce],
      .must("the client compares the nonce of the ID token", "OpenID Connect Core, 3.1.3.7 (11)"),
      .client { $0["nonce"] = SecureRandom.token() }),
    Deviation(
      "request_uri_twice", "a pushed request a second time", [.authorization, .pushed],
      .should("a request_uri leads to one code", "RFC 9126, 4 and 7.3"), .reopening),
  ]

  // MARK: Proofs

  private static let proofs: [Deviation] = [
    Deviation(
      "proof_other_htu", "a DPoP proof for another address", [.proof],
      .must("htu is the address of the request", "RFC 9449, 4.3 (9)"),
      .proof { $0.claims["htu"] = "https://as.example/token" }),
    Deviation(
      "proof_other_htm", "a DPoP proof for another method", [.proof],
      .must("htm is the method of the request", "RFC 9449, 4.3 (8)"), .proof { $0.claims["htm"] = "GET" }),
    Deviation(
      "proof_old", "a DPoP proof of yesterday", [.proof],
      .must("a proof is accepted for a short time", "RFC 9449, 4.3 (11) and 11.1"), .proof { $0.move(by: -86_400) }),
    Deviation(
      "proof_unsigned", "a DPoP proof with alg none", [.proof],
      .must("a proof is signed with an asymmetric algorithm", "RFC 9449, 4.3 (5)"), .proof { $0.signer = .nobody }),
    Deviation(
      "proof_other_key", "the code with the proof of another key", [.proof, .code],
      .must("a code is bound to the key of dpop_jkt", "RFC 9449, 10"), .proof { $0.signer = .other }),
    Deviation(
      "proof_twice", "a DPoP proof a second time", [.proof, .refreshToken],
      .may("the provider remembers the jti of proofs", "RFC 9449, 11.1"),
      .afterwards { run, response, request throws(OAuthError) in
        guard let refresh = request.refresh(response) else { return nil }
        run.replayed.proof = run.last.proof
        return try await run.answer(to: refresh)
      }),
    Deviation(
      "proof_other_ath", "a DPoP proof for another access token, at the userinfo endpoint", [.proof, .userinfo],
      .must("ath is the hash of the access token", "RFC 9449, 4.3 (12) and 7.1"),
      .afterwards { _, response, request throws(OAuthError) in
        guard let token = response["access_token"]?.string else { return nil }
        guard case .accepted = try await request.userinfo(Secret(token), ofToken: token) else {
          return .untried("the userinfo endpoint does not take the access token")
        }
        return try await request.userinfo(Secret(token), ofToken: "another token")
      }),
  ]

  // MARK: Client assertions

  private static let assertions: [Deviation] = [
    Deviation(
      "assertion_expired", "an expired client assertion", [.assertion],
      .must("an expired assertion is refused", "RFC 7523, 3 (4)"), .assertion { $0.move(by: -86_400) }),
    Deviation(
      "assertion_other_audience", "a client assertion for another provider", [.assertion],
      .must("aud names the provider", "RFC 7523, 3 (3)"), .assertion { $0.claims["aud"] = "https://as.example" }),
    Deviation(
      "assertion_other_key", "a client assertion signed with another key", [.assertion],
      .must("the signature of an assertion is checked", "RFC 7523, 3 (9)"), .assertion { $0.signer = .other }),
    Deviation(
      "assertion_unsigned", "a client assertion with alg none", [.assertion],
      .must("the signature of an assertion is checked", "RFC 7523, 3 (9); RFC 8725, 3.1"),
      .assertion { $0.signer = .nobody }),
    Deviation(
      "assertion_twice", "a client assertion a second time", [.assertion],
      .may("the provider remembers the jti of assertions", "RFC 7523, 3 (7)"),
      .afterwards { run, response, request throws(OAuthError) in
        let grant = FormFields(request.fields)["grant_type"]
        let isRepeatable = grant == nil || grant == "client_credentials" || grant == "password"
        guard let next = isRepeatable ? request : request.refresh(response) else { return nil }
        run.replayed.assertion = run.last.assertion
        return try await run.answer(to: next)
      }),
  ]

  // MARK: Refresh tokens

  private static let refresh: [Deviation] = [
    Deviation(
      "refresh_twice", "a refresh token a second time", [.refreshToken],
      .must(
        "refresh tokens of public clients are replaced at each use, or bound to a key", "RFC 9700, 2.2.2 and 4.14.2"),
      boundClients: .may("the refresh tokens are bound to the client's authentication or key", "RFC 9700, 4.14.2"),
      .afterwards { run, response, request throws(OAuthError) in
        guard let refresh = request.refresh(response) else { return nil }
        guard case .accepted = try await run.answer(to: refresh) else {
          return .untried("the provider refuses the first refresh, too")
        }
        return try await run.answer(to: refresh)
      }),
    Deviation(
      "refresh_other_key", "a refresh token with the proof of another key", [.refreshToken, .proof, .publicClient],
      .must("refresh tokens of public clients are bound to the key of the proof", "RFC 9449, 5"),
      .afterwards { run, response, request throws(OAuthError) in
        guard let refresh = request.refresh(response) else { return nil }
        run.changesProof = { $0.signer = .other }
        return try await run.answer(to: refresh)
      }),
  ]
}

extension EndpointRequest {
  /// The request that redeems the refresh token of a response to this token request; nil without one.
  fileprivate func refresh(_ response: JSON) -> EndpointRequest? {
    guard let token = response["refresh_token"]?.string, FormFields(fields)["grant_type"] != nil else { return nil }
    var request = self
    request.stage = .refresh
    request.fields = [("grant_type", "refresh_token"), ("refresh_token", token)]
    return request
  }

  /// Sends the access token to the userinfo endpoint, with a proof for `proven`.
  fileprivate func userinfo(_ token: Secret, ofToken proven: String) async throws(OAuthError) -> DeviationRun.Answer {
    guard let url = try await provider.metadata(policy: policy)[.userinfo], let proofKey else {
      return .untried("no userinfo endpoint")
    }
    // The first answer may give a nonce (RFC 9449, 9).
    for isLast in [false, true] {
      var message = HTTPRequest(url: url, headers: headers)
      message.headers["Authorization"] = "DPoP \(token.reveal())"
      let content = ProofContent(
        method: "GET", url: url, tokenHash: ProofKey.hash(Secret(given: proven)), nonce: provider.nonces[url])
      do throws(JOSEError) { message.headers["DPoP"] = try proofKey.proof(content, now: provider.now()) } catch {
        throw OAuthError(error, stage)
      }
      message.followsRedirects = false
      message.addresses = provider.addresses(of: url, policy)
      let response: HTTPResponse
      do { response = try await provider.http.send(message) } catch {
        throw OAuthError(error, .token, "the userinfo endpoint")
      }
      provider.nonces.note(response, url)
      if !isLast, response.status == 401, response.challenges("use_dpop_nonce") { continue }
      return DeviationRun.answer(response)
    }
    return .untried("the userinfo endpoint asks for nonces again and again")
  }
}
