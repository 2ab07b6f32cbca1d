import Conform
import Core
import Crypto
import HTTPClient
import JSON

/// The token endpoint: its requests and its responses.
enum TokenChecks {
  private static let topic = Topic(
    "provider.token", "Token endpoint", wrong: .provider,
    means: "Clients misread the response, or secrets reach logs and caches.",
    change: [
      "In general": "Take POST forms alone, refuse repeated parameters, answer JSON with Cache-Control: no-store."
    ])

  private static let response = "RFC 6749, 5.1"

  static let token: [ProviderCheck] = tokenRequests + tokenResponses

  private static let tokenRequests: [ProviderCheck] = [
    .init(
      topic, "get", "GET is refused", "sends the request as a query", .must("the client uses POST", "RFC 6749, 3.2")
    ) { trial in
      let (attempt, code) = try await trial.code()
      var form = attempt.form(code: code)
      form["client_id"] = attempt.client.id
      form["client_secret"] = attempt.client.secret?.reveal()
      return try await trial.get(WebAddress(try trial.endpoint("token_endpoint")).appending(form.encoded)).refused()
    },
    .init(
      topic, "query", "Parameters in the query are not taken", "posts an empty form with the parameters in the query",
      .must("parameters are in the body", "RFC 6749, 3.2 and 4.1.3")
    ) { trial in
      let (attempt, code) = try await trial.code()
      let form = attempt.form(code: code)
      let url = WebAddress(try trial.endpoint("token_endpoint")).appending(form.encoded)
      return try await trial.post(url, [:], as: attempt.client).refused()
    },
    .init(
      topic, "json", "A JSON body is refused", "sends the request as JSON",
      .should("the body is application/x-www-form-urlencoded", "RFC 6749, 4.1.3 and Appendix B")
    ) { trial in
      let (attempt, code) = try await trial.code()
      var form = attempt.form(code: code)
      form["client_id"] = attempt.client.id
      form["client_secret"] = attempt.client.secret?.reveal()
      let members = Dictionary(form.list.map { ($0.0, JSON.string($0.1)) }) { first, _ in first }
      return try await trial.send(
        HTTPRequest(
          method: "POST", url: try trial.endpoint("token_endpoint"), headers: ["Content-Type": "application/json"],
          body: Array(JSON.object(members).encoded().utf8))
      ).refused()
    },
    .init(
      topic, "charset", "A charset in the content type is taken", "adds charset=UTF-8 to the content type",
      .should("parameters of the media type are not errors", "RFC 9110, 8.3; RFC 6749, Appendix B")
    ) { trial in
      let (attempt, code) = try await trial.code()
      var (form, headers) = (attempt.form(code: code), HTTPHeaders())
      try trial.authenticate(attempt.client, &form, &headers, to: try trial.endpoint("token_endpoint"))
      headers["Content-Type"] = "application/x-www-form-urlencoded; charset=UTF-8"
      return try await trial.send(
        HTTPRequest(
          method: "POST", url: try trial.endpoint("token_endpoint"), headers: headers, body: Array(form.encoded.utf8))
      ).accepted()
    },
    .init(
      topic, "percent-20", "A space may be + or %20", "sends scope with %20",
      .must("both spellings of a space are decoded", "RFC 6749, Appendix B; URL Standard, 5.1")
    ) { trial in
      let (attempt, code) = try await trial.code()
      var (form, headers) = (attempt.form(code: code), HTTPHeaders())
      try trial.authenticate(attempt.client, &form, &headers, to: try trial.endpoint("token_endpoint"))
      form["scope"] = attempt.client.scope
      headers["Content-Type"] = "application/x-www-form-urlencoded"
      return try await trial.send(
        HTTPRequest(
          method: "POST", url: try trial.endpoint("token_endpoint"), headers: headers,
          body: Array(form.encoded.replacing("+", with: "%20").utf8))
      ).accepted()
    },
    .init(
      topic, "no-grant-type", "A request without grant_type is refused", "leaves grant_type out",
      .must("the error is invalid_request", "RFC 6749, 5.2")
    ) { try await $0.exchange { $0["grant_type"] = nil }.refused("invalid_request", "unsupported_grant_type") },
    .init(
      topic, "unknown-grant-type", "An unknown grant_type is refused", "sends grant_type=conform",
      .must("the error is unsupported_grant_type", "RFC 6749, 5.2")
    ) { trial in
      try await trial.post(try trial.endpoint("token_endpoint"), ["grant_type": "conform"], as: try trial.client)
        .refused("unsupported_grant_type", "invalid_request")
    },
    .init(
      topic, "grant-type-case", "grant_type is compared exactly", "sends AUTHORIZATION_CODE",
      .should("parameter values are case-sensitive", "RFC 6749, 1.9 and 4.1.3")
    ) { try await $0.exchange { $0["grant_type"] = "AUTHORIZATION_CODE" }.refused() },
    .init(
      topic, "grant-type-twice", "Two grant types are refused", "sends grant_type twice",
      .must("parameters come once", "RFC 6749, 3.2")
    ) { try await $0.exchange { $0.add("grant_type", "refresh_token") }.refused() },
    .init(
      topic, "verifier-twice", "Two verifiers are refused", "sends code_verifier twice",
      .must("parameters come once", "RFC 6749, 3.2")
    ) { try await $0.exchange { $0.add("code_verifier", SecureRandom.token(32)) }.refused() },
    .init(
      topic, "redirect-twice", "Two redirect URIs are refused", "sends redirect_uri twice",
      .must("parameters come once", "RFC 6749, 3.2")
    ) { try await $0.exchange { $0.add("redirect_uri", "https://attacker.example") }.refused() },
    .init(
      topic, "unknown-parameter", "An unknown parameter is ignored", "adds conform=1",
      .must("unrecognized parameters are ignored", "RFC 6749, 3.2")
    ) { try await $0.exchange { $0["conform"] = "1" }.accepted() },
    .init(
      topic, "empty-body", "An empty request is refused", "posts an empty form",
      .must("the error is invalid_request", "RFC 6749, 5.2")
    ) { trial in try await trial.post(try trial.endpoint("token_endpoint"), [:], as: nil).refused() },
    .init(
      topic, "password", "The password grant is refused", "sends grant_type=password with a wrong password",
      .must("the password grant is not used", "RFC 9700, 2.4"), [.oauth21, .fapi2, .mcp], danger: .mayLock
    ) { trial in
      let user = trial.provider.options.user?.name ?? "conform"
      let form: Fields = [
        "grant_type": "password", "username": user, "password": SecureRandom.token(9), "scope": try trial.client.scope,
      ]
      return try await trial.post(try trial.endpoint("token_endpoint"), form, as: try trial.client)
        .refused("unsupported_grant_type", "unauthorized_client", "invalid_request")
    },
    .init(
      topic, "error-json", "Errors are JSON with error", "redeems an unknown code",
      .must("the error response is JSON with the member error", "RFC 6749, 5.2")
    ) { trial in
      let answer = try await trial.redeem(Attempt(try trial.client), "conform-unknown")
      return trial.finding(
        answer.error != nil && answer.mediaType == "application/json", answer.shown,
        "\(answer.mediaType), \(answer.shown)")
    },
    .init(
      topic, "error-status", "An unknown code gets the status 400", "redeems an unknown code",
      .must("the status is 400, apart from invalid_client", "RFC 6749, 5.2")
    ) { trial in
      let answer = try await trial.redeem(Attempt(try trial.client), "conform-unknown")
      if let unclear = answer.unclear { return unclear }
      return trial.finding(answer.status == 400, "400", answer.shown)
    },
    .init(
      topic, "error-characters", "error_description has ASCII alone", "redeems a code with quotes in it",
      .must("the description has printable ASCII without quotes and backslashes", "RFC 6749, 5.2")
    ) { trial in
      let answer = try await trial.redeem(Attempt(try trial.client), "unknown")
      guard let text = answer.string("error_description") else { return .notUsed("no error_description") }
      let wrong = text.unicodeScalars.first { !(0x20...0x7e).contains($0.value) || $0 == "\"" || $0 == "\\" }
      return trial.finding(wrong == nil, "it has", "error_description has U+\(String(wrong?.value ?? 0, radix: 16))")
    },
    .init(
      topic, "error-cache", "Errors are not stored", "redeems an unknown code",
      .should("the response has Cache-Control: no-store", "\(response); RFC 9111, 5.2.2.5")
    ) { trial in
      let answer = try await trial.redeem(Attempt(try trial.client), "conform-unknown")
      return trial.finding(
        answer.cacheControl.contains("no-store"), "they are not",
        "Cache-Control: \(answer.headers["Cache-Control"] ?? "missing")")
    },
    .init(
      topic, "no-secrets", "An error repeats no secret", "redeems an unknown code",
      .may("messages repeat neither codes nor secrets", "RFC 6749, 10.3; RFC 9700, 4.2")
    ) { trial in
      let code = "conform-\(SecureRandom.token())"
      let answer = try await trial.redeem(Attempt(try trial.client), code)
      return trial.finding(!answer.text.contains(code), "it does not", "the message has the code")
    },
    .init(
      topic, "cors", "The token endpoint allows no credentials for every origin", "sends a foreign Origin",
      .should("an origin that is merely repeated does not get credentials", "Fetch Standard, 3.2.5")
    ) { trial in
      let answer = try await trial.redeem(Attempt(try trial.client), "x", ["Origin": "https://attacker.example"])
      let isOpen =
        answer.headers["Access-Control-Allow-Credentials"] == "true"
        && answer.headers["Access-Control-Allow-Origin"] == "https://attacker.example"
      return trial.finding(!isOpen, "it does not", "any origin may send credentials")
    },
  ]

  private static let tokenResponses: [ProviderCheck] = [
    .init(
      topic, "status", "The response has the status 200", "looks at the right sign-in",
      .must("the status is 200", response)
    ) { trial in
      let status = try trial.right.token.status
      return trial.finding(status == 200, "200", "\(status)")
    },
    .init(
      topic, "content-type", "The response is application/json", "looks at the right sign-in",
      .must("the media type is application/json", response)
    ) { trial in
      let type = try trial.right.token.mediaType
      return trial.finding(type == "application/json", type, "it is '\(type)'")
    },
    .init(
      topic, "no-store", "The response is not stored by caches", "looks at the right sign-in",
      .must("the response has Cache-Control: no-store", response)
    ) { trial in
      let answer = try trial.right.token
      return trial.finding(
        answer.cacheControl.contains("no-store"), "it is not",
        "Cache-Control: \(answer.headers["Cache-Control"] ?? "missing")")
    },
    .init(
      topic, "access-token", "The response has an access token", "looks at the right sign-in",
      .must("access_token is required", response)
    ) { trial in
      trial.finding(try trial.right.token.string("access_token") != nil, "it has", "there is no access_token")
    },
    .init(
      topic, "token-type", "The response has a token type", "looks at the right sign-in",
      .must("token_type is required: Bearer or DPoP, in any letter case", "\(response) and 7.1")
    ) { trial in
      let type = try trial.right.token.string("token_type") ?? "missing"
      return trial.finding(["bearer", "dpop"].contains(type.lowercased()), type, "token_type is \(type)")
    },
    .init(
      topic, "expires-in", "expires_in is a number", "looks at the right sign-in",
      .must("expires_in is a JSON number", "RFC 6749, 5.1 and Appendix A.14")
    ) { trial in
      guard let value = try trial.right.token["expires_in"] else { return .notUsed("no expires_in") }
      return trial.finding(
        value.string == nil && value.lenientInteger != nil, value.encoded(), "it is \(value.encoded())")
    },
    .init(
      topic, "expires-in-there", "The response says how long the token is valid", "looks at the right sign-in",
      .should("expires_in is recommended", response)
    ) { trial in
      trial.finding(try trial.right.token["expires_in"] != nil, "it does", "there is no expires_in")
    },
    .init(
      topic, "lifetime", "An access token is valid for a day at most", "reads expires_in",
      .should(
        "bearer tokens are valid for an hour or less; the check allows a day", "RFC 6750, 5.2 and 5.3; RFC 9700, 4.14")
    ) { trial in
      guard let seconds = try trial.right.token["expires_in"]?.lenientInteger else { return .notUsed("no expires_in") }
      return trial.finding(seconds <= 86_400, "\(seconds) s", "\(seconds) s")
    },
    .init(
      topic, "scope", "The response tells a scope that is not the asked one", "compares scope",
      .must("scope is there if it differs from the request", response)
    ) { trial in
      let right = try trial.right
      guard let scope = right.token.string("scope") else { return .kept("no scope: it is the asked one") }
      return trial.finding(scope.split(separator: " ").count > 0, scope, "scope is empty")
    },
    .init(
      topic, "id-token", "The response has an ID token", "looks at the right sign-in",
      .must("id_token is there for the scope openid", "OpenID Connect Core 1.0, 3.1.3.3"), .openID
    ) { trial in
      guard trial.provider.isOpenID else { return .notUsed("no scope openid") }
      return trial.finding(try trial.right.idToken != nil, "it has", "there is no id_token")
    },
    .init(
      topic, "entropy", "An access token has at least 128 bits", "measures the access token",
      .must("a token cannot be guessed", "RFC 6749, 10.10")
    ) { trial in
      let token = try trial.right.accessToken
      let bits = Double(token.count) * Alphabet.bits(token)
      return trial.finding(bits >= 128, "\(token.count) characters", "at most \(Int(bits)) bits")
    },
    .init(
      topic, "characters", "An access token has the characters of b64token", "reads the access token",
      .must("the token fits into the Authorization header", "RFC 6750, 2.1")
    ) { trial in
      let token = try trial.right.accessToken
      let isRight = token.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || "-._~+/=".utf8.contains(byte)
      }
      return trial.finding(isRight, "it has", "it has other characters")
    },
    .init(
      topic, "different", "Two sign-ins give different access tokens", "signs in again",
      .must("tokens are unpredictable", "RFC 6749, 10.10")
    ) { trial in
      let before = try trial.right.accessToken
      return trial.finding(
        try await trial.tokens().string("access_token") != before, "they do", "the same token came again")
    },
    .init(
      topic, "no-code", "The response does not repeat the code", "looks at the right sign-in",
      .may("a code is of no use any more, and stays out of responses", "RFC 6749, 5.1")
    ) { trial in
      let right = try trial.right
      return trial.finding(
        !right.token.text.contains(right.landing.code ?? " "), "it does not", "the code is in the response")
    },
  ]
}
