import Conform
import Core
import HTTPClient
import JOSE
import JSON

/// Response types and modes.
enum ResponseChecks {
  private static let topic = Topic(
    "provider.response", "Response types and modes", wrong: .provider,
    means: "Tokens or codes reach places where others can read them, or clients do not find the answer.",
    change: [
      "In general": "Offer code alone; refuse tokens in queries; answer in the requested mode.",
      "B2C": "Switch implicit tokens off for each application, under Authentication.",
    ])

  private static let multiple = "OAuth 2.0 Multiple Response Type Encoding Practices"

  static let types: [ProviderCheck] = [
    .init(
      topic, "token", "response_type=token is refused", "asks for an access token in the redirect",
      .should("access tokens come from the token endpoint alone", "RFC 9700, 2.1.2"), [.oauth21, .fapi2, .mcp]
    ) { try await $0.ask("token") { $0["access_token"] == nil } },
    .init(
      topic, "id-token-token", "response_type=id_token token is refused", "asks for both tokens in the redirect",
      .should("access tokens come from the token endpoint alone", "RFC 9700, 2.1.2"), [.oauth21, .fapi2, .mcp]
    ) { try await $0.ask("id_token token") { $0["access_token"] == nil } },
    .init(
      topic, "code-token", "response_type=code token is refused", "asks for a code and an access token",
      .should("access tokens come from the token endpoint alone", "RFC 9700, 2.1.2"), [.oauth21, .fapi2, .mcp]
    ) { try await $0.ask("code token") { $0["access_token"] == nil } },
    .init(
      topic, "no-nonce", "An ID token in the redirect needs nonce", "asks for id_token without nonce",
      .must("nonce is required in the implicit flow", "OpenID Connect Core 1.0, 3.2.2.1 and 3.2.2.11"), .openID,
      peers: ["oidf:oidcc-ensure-request-without-nonce-fails"]
    ) { trial in
      try trial.offers("id_token")
      return try await trial.authorize {
        $0["response_type"] = "id_token"
        $0["nonce"] = nil
        $0.withoutChallenge()
      }.refused("invalid_request")
    },
    .init(
      topic, "fragment", "Tokens come in the fragment", "asks for id_token, and looks at the redirect",
      .must("the default mode of a response with tokens is fragment", "\(multiple), 5"), .openID
    ) { trial in
      let landing = try await trial.implicit("id_token")
      let address = WebAddress(landing.url ?? "")
      return trial.finding(address.fragment?.contains("id_token=") == true, "they do", landing.shown)
    },
    .init(
      topic, "query", "Tokens never come in a query", "asks for id_token with response_mode=query",
      .must("tokens are not returned in a query", "\(multiple), 3 and 5")
    ) { trial in
      try trial.offers("id_token")
      let landing = try await trial.authorize {
        $0["response_type"] = "id_token"
        $0["response_mode"] = "query"
        $0.withoutChallenge()
      }
      let query = WebAddress(landing.url ?? "").query ?? ""
      return query.contains("id_token=") ? .broken("the ID token is in the query") : .kept(landing.shown)
    },
    .init(
      topic, "hybrid-hash", "The ID token beside a code has c_hash", "asks for code id_token",
      .must("c_hash is the hash of the code", "OpenID Connect Core 1.0, 3.3.2.11"), .openID
    ) { trial in
      let landing = try await trial.implicit("code id_token")
      guard let code = landing.code, let text = landing["id_token"] else { return .unclear(landing.shown) }
      let token = try JWT(decoding: text)
      guard let algorithm = SignatureAlgorithm(rawValue: token.header["alg"]?.string ?? "") else {
        return .unclear("the algorithm of the ID token is unknown")
      }
      return trial.finding(
        token.claims["c_hash"]?.string == algorithm.leftHalfHash(of: code), "it has",
        "c_hash is \(token.claims["c_hash"]?.encoded() ?? "missing")")
    },
    .init(
      topic, "hybrid-nonce", "The ID token beside a code has the nonce", "asks for code id_token",
      .must("the nonce of the request is in the ID token", "OpenID Connect Core 1.0, 3.3.2.11"), .openID
    ) { trial in
      try trial.offers("code id_token")
      let landing = try await trial.authorize {
        $0["response_type"] = "code id_token"
        $0["nonce"] = "conform-nonce"
      }
      guard let text = landing["id_token"] else { return .unclear(landing.shown) }
      let nonce = try JWT(decoding: text).claims["nonce"]?.string
      return trial.finding(nonce == "conform-nonce", "it has", "nonce is \(nonce ?? "missing")")
    },
    .init(
      topic, "order", "The order of the words in response_type does not matter", "asks for id_token code",
      .must("the order does not matter", "RFC 6749, 3.1.1"), .openID
    ) { trial in
      try trial.offers("code id_token")
      return try await trial.authorize { $0["response_type"] = "id_token code" }.accepted()
    },
    .init(
      topic, "mode-query", "response_mode=query is answered in the query", "asks for the mode query",
      .must("the answer comes in the requested mode", "\(multiple), 2.1")
    ) { trial in
      let landing = try await trial.authorize { $0["response_mode"] = "query" }
      return trial.finding(WebAddress(landing.url ?? "").query?.contains("code=") == true, "it is", landing.shown)
    },
    .init(
      topic, "mode-fragment", "response_mode=fragment is answered in the fragment", "asks for the mode fragment",
      .must("the answer comes in the requested mode", "\(multiple), 2.1"), needs: ["response_modes_supported"]
    ) { trial in
      guard trial.provider.list("response_modes_supported")?.contains("fragment") == true else {
        return .notUsed("no fragment")
      }
      let landing = try await trial.authorize { $0["response_mode"] = "fragment" }
      return trial.finding(WebAddress(landing.url ?? "").fragment?.contains("code=") == true, "it is", landing.shown)
    },
    .init(
      topic, "mode-form", "response_mode=form_post is answered by a form", "asks for the mode form_post",
      .must("the page posts a form to the redirect URI", "OAuth 2.0 Form Post Response Mode, 2"),
      needs: ["response_modes_supported"]
    ) { trial in
      guard trial.provider.list("response_modes_supported")?.contains("form_post") == true else {
        return .notUsed("no form_post")
      }
      let landing = try await trial.authorize { $0["response_mode"] = "form_post" }
      guard landing.code != nil else { return landing.accepted() }
      return trial.finding(landing.last?.mediaType == "text/html", "it is", "the answer was a redirect")
    },
    .init(
      topic, "form-cache", "The page of form_post is not stored", "reads Cache-Control of the page",
      .must("the page has Cache-Control: no-cache, no-store", "OAuth 2.0 Form Post Response Mode, 2 and 4"),
      needs: ["response_modes_supported"]
    ) { trial in
      guard trial.provider.list("response_modes_supported")?.contains("form_post") == true else {
        return .notUsed("no form_post")
      }
      let landing = try await trial.authorize { $0["response_mode"] = "form_post" }
      guard let last = landing.last, landing.code != nil else { return .told(landing) }
      return trial.finding(
        last.cacheControl.contains("no-store"), "it is not",
        "Cache-Control: \(last.headers["Cache-Control"] ?? "missing")")
    },
    .init(
      topic, "mode-unknown", "An unknown response_mode is refused", "sends response_mode=conform",
      .should("an unsupported mode is an error", "\(multiple), 2.1; RFC 6749, 4.1.2.1")
    ) { try await $0.authorize { $0["response_mode"] = "conform" }.refused() },
    .init(
      topic, "jarm", "response_mode=jwt is answered by a signed JWT", "asks for a signed response",
      .must("the response is a JWT signed by the provider", "JARM, 2.1 and 2.3"), [.fapi2MessageSigning],
      needs: ["response_modes_supported"]
    ) { trial in
      let claims = try await trial.signedResponse().claims
      return trial.finding(claims["code"] != nil, "it is", "the JWT has no code")
    },
    .init(
      topic, "jarm-claims", "A signed response has iss, aud and exp", "reads the claims of the response",
      .must("iss, aud and exp are required", "JARM, 2.1"), [.fapi2MessageSigning], needs: ["response_modes_supported"]
    ) { trial in
      let claims = try await trial.signedResponse().claims
      let id = try trial.client.id
      let isRight =
        claims["iss"]?.string == trial.provider.issuer && claims["aud"]?.has(id) == true
        && claims["exp"]?.anyNumber != nil
      return trial.finding(isRight, "it has", "iss, aud or exp is wrong")
    },
    .init(
      topic, "jarm-signature", "The signature of a signed response is right", "verifies the response",
      .must("the response is signed by a key of the provider", "JARM, 2.1 and 2.4"), [.fapi2MessageSigning],
      needs: ["response_modes_supported"]
    ) { trial in
      let text = try await trial.signedResponseText()
      return trial.verifies(text)
    },
  ]
}

extension JSON {
  /// True if this is the text, or a list with it.
  func has(_ text: String) -> Bool { string == text || array?.contains(.string(text)) == true }
}

extension Fields {
  /// Takes PKCE out, for a response without a code.
  mutating func withoutChallenge() {
    self["code_challenge"] = nil
    self["code_challenge_method"] = nil
  }
}
