import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// The authorization endpoint: parameters, state, nonce, prompt, response types and modes.
enum AuthorizationChecks {
  static let topic = Topic(
    "provider.authorization", "Authorization requests", wrong: .provider,
    means: "Clients hang on an error page, or take an answer that belongs to another request.",
    change: [
      "In general":
        "Check the parameters before the sign-in page, and answer each mistake with the error of the standard.",
      "B2C": "Errors come as AADB2C codes in error_description; error itself has the standard's code.",
    ])

  static let core = "OpenID Connect Core 1.0, 3.1.2.1"

  static let authorization: [ProviderCheck] = requests + states + PromptChecks.prompts + ResponseChecks.types

  private static let requests: [ProviderCheck] = [
    .init(
      topic, "right", "A right request gives a code", "opens a right authorization request",
      .must("the redirect has a code", "RFC 6749, 4.1.2"), peers: ["oidf:oidcc-server"]
    ) { try await $0.authorize { _ in }.accepted() },
    .init(
      topic, "unknown-parameter", "An unknown parameter is ignored", "adds conform=1",
      .must("unrecognized parameters are ignored", "RFC 6749, 3.1"),
      peers: ["oidf:oidcc-ensure-request-with-unknown-parameter-succeeds"]
    ) { try await $0.authorize { $0["conform"] = "1" }.accepted() },
    .init(
      topic, "empty-parameter", "An empty parameter counts as none", "adds an empty prompt",
      .must("parameters without a value are treated as if they were left out", "RFC 6749, 3.1")
    ) { try await $0.authorize { $0["prompt"] = "" }.accepted() },
    .init(
      topic, "post", "The request may be sent by POST", "posts the request as a form",
      .must("the endpoint takes GET and POST", core), .openID, peers: ["oidf:oidcc-ensure-post-request-succeeds"]
    ) { trial in
      let attempt = Attempt(try trial.client)
      let fields = trial.provider.needsPushing ? try await trial.pushed(attempt) : attempt.fields
      let answer = try await trial.send(
        .form(url: try trial.endpoint("authorization_endpoint"), fields: fields.list))
      if let unclear = answer.unclear { return unclear }
      return trial.finding(answer.status < 400, "status \(answer.status)", "the request was refused: \(answer.shown)")
    },
    .init(
      topic, "no-response-type", "A request without response_type is refused", "leaves response_type out",
      .must("response_type is required", "RFC 6749, 4.1.1 and 4.1.2.1"), peers: ["oidf:oidcc-response-type-missing"]
    ) { try await $0.authorize { $0["response_type"] = nil }.refused("invalid_request", "unsupported_response_type") },
    .init(
      topic, "unknown-response-type", "An unknown response_type is refused", "sends response_type=conform",
      .must("the error is unsupported_response_type", "RFC 6749, 3.1.1 and 4.1.2.1")
    ) {
      try await $0.authorize { $0["response_type"] = "conform" }.refused("unsupported_response_type", "invalid_request")
    },
    .init(
      topic, "no-client", "A request without client_id is refused", "leaves client_id out",
      .must("client_id is required", "RFC 6749, 4.1.1")
    ) { trial in
      var attempt = Attempt(try trial.client)
      attempt.fields["client_id"] = nil
      return try await trial.open(try trial.endpoint("authorization_endpoint"), attempt.fields, attempt).refusedOnPage()
    },
    .init(
      topic, "client-twice", "Two client IDs are refused", "sends client_id twice",
      .must("parameters come once", "RFC 6749, 3.1")
    ) { trial in
      var attempt = Attempt(try trial.client)
      attempt.fields.add("client_id", "conform-other")
      return try await trial.authorize(attempt).refused()
    },
    .init(
      topic, "scope-twice", "Two scopes parameters are refused", "sends scope twice",
      .must("parameters come once", "RFC 6749, 3.1")
    ) { try await $0.authorize { $0.add("scope", "openid") }.refused() },
    .init(
      topic, "state-twice", "Two state parameters are refused", "sends state twice",
      .must("parameters come once", "RFC 6749, 3.1")
    ) { try await $0.authorize { $0.add("state", "conform") }.refused() },
    .init(
      topic, "response-type-twice", "Two response types are refused", "sends response_type twice",
      .must("parameters come once", "RFC 6749, 3.1")
    ) { try await $0.authorize { $0.add("response_type", "token") }.refused() },
    .init(
      topic, "unknown-scope", "An unknown scope does not break the provider", "adds the scope conform:unknown",
      .should("an unknown scope is ignored, or refused by invalid_scope", "RFC 6749, 3.3; \(core)")
    ) { trial in
      let landing = try await trial.authorize { $0["scope"] = ($0["scope"] ?? "") + " conform:unknown" }
      return landing.hasResult ? .kept("it is ignored") : landing.refused("invalid_scope")
    },
    .init(
      topic, "request-and-uri", "request and request_uri together are refused", "sends both parameters",
      .must("the two parameters are not used together", "RFC 9101, 5; OpenID Connect Core 1.0, 6.1")
    ) { trial in
      var attempt = Attempt(try trial.client)
      attempt.fields["request"] = "eyJhbGciOiJub25lIn0.e30."
      attempt.fields["request_uri"] = "https://attacker.example/request"
      return try await trial.open(try trial.endpoint("authorization_endpoint"), attempt.fields, attempt).refused()
    },
    .init(
      topic, "foreign-request-uri", "A request_uri of a foreign host is refused", "names a document at a foreign host",
      .should("only registered or pushed request_uri values are fetched", "RFC 9101, 10.4.1; RFC 9700, 4.11")
    ) { trial in
      let attempt = Attempt(try trial.client)
      let fields: Fields = [
        "client_id": attempt.client.id, "response_type": "code", "scope": attempt.client.scope,
        "request_uri": "https://attacker.example/request",
      ]
      return try await trial.open(try trial.endpoint("authorization_endpoint"), fields, attempt).refused()
    },
    .init(
      topic, "unpushed", "A request that was not pushed is refused", "opens a plain request where pushing is required",
      .must("the provider refuses requests that were not pushed, if it requires pushing", "RFC 9126, 5")
    ) { trial in
      guard trial.provider.needsPushing else { return .notUsed("pushing is not required") }
      let attempt = Attempt(try trial.client)
      return try await trial.open(try trial.endpoint("authorization_endpoint"), attempt.fields, attempt).refused()
    },
  ]

  // MARK: state and nonce

  private static let states: [ProviderCheck] = [
    .init(
      topic, "state", "state comes back", "compares state",
      .must("state comes back exactly as it was sent", "RFC 6749, 4.1.2")
    ) { trial in try await trial.comesBack("state", SecureRandom.token(16)) },
    .init(
      topic, "state-characters", "state comes back with all its characters", "sends a state with & = % + and quotes",
      .must("state comes back exactly as it was sent", "RFC 6749, 4.1.2 and Appendix B"), peers: ["oidf:oidcc-server"]
    ) { try await $0.comesBack("state", "a&b=c%20d+e\"f'g<h>i#j?k/l") },
    .init(
      topic, "state-unicode", "state comes back with letters beyond ASCII", "sends a state with umlauts and an emoji",
      .may("state is made of printable ASCII characters; others are beyond the standard", "RFC 6749, Appendix A.5")
    ) { try await $0.comesBack("state", "Grüße-✓") },
    .init(
      topic, "state-long", "A long state comes back", "sends a state of 512 characters",
      .should("a client may keep its place in state", "RFC 6749, 4.1.1")
    ) { try await $0.comesBack("state", String(repeating: "conform-", count: 64)) },
    .init(
      topic, "state-error", "state comes back with an error", "sends a request that is refused",
      .must("the error response has the state of the request", "RFC 6749, 4.1.2.1")
    ) { trial in
      let landing = try await trial.authorize {
        $0["state"] = "conform-state"
        $0["response_type"] = "conform"
      }
      guard landing.url != nil else { return .notUsed("the error is on a page") }
      return trial.finding(landing["state"] == "conform-state", "it does", "state is \(landing["state"] ?? "missing")")
    },
    .init(
      topic, "no-state", "Without state the redirect has none", "sends no state",
      .must("state is there only if the request had one", "RFC 6749, 4.1.2")
    ) { trial in
      let landing = try await trial.authorize { $0["state"] = nil }
      guard landing.hasResult else { return .told(landing) }
      return trial.finding(landing["state"] == nil, "no state", "state is \(landing["state"] ?? "")")
    },
    .init(
      topic, "no-nonce", "The code flow works without nonce", "sends no nonce",
      .must("nonce is optional with response_type=code", core), .openID,
      peers: ["oidf:oidcc-ensure-request-without-nonce-succeeds-for-code-flow"]
    ) { try await $0.authorize { $0["nonce"] = nil }.accepted() },
    .init(
      topic, "nonce-characters", "nonce is in the ID token with all its characters",
      "sends a nonce with & = % + and quotes",
      .must("the ID token has the nonce of the request, unchanged", "OpenID Connect Core 1.0, 2"), .openID
    ) { trial in
      let nonce = "a&b=c%20d+e\"f'g"
      let (attempt, code) = try await trial.code { $0["nonce"] = nonce }
      let claims = try trial.idToken(in: try await trial.redeem(attempt, code).needed("the token request")).claims
      return trial.finding(
        claims["nonce"]?.string == nonce, "it is", "nonce is \(claims["nonce"]?.encoded() ?? "missing")")
    },
    .init(
      topic, "iss", "The redirect has iss", "looks for iss in the redirect",
      .must("a provider that promises iss sends it", "RFC 9207, 2 and 2.3"),
      needs: ["authorization_response_iss_parameter_supported"]
    ) { trial in
      guard trial.provider.metadata["authorization_response_iss_parameter_supported"] == .bool(true) else {
        return .notUsed("iss is not promised")
      }
      return trial.finding(try trial.right.landing["iss"] != nil, "it has", "there is no iss")
    },
    .init(
      topic, "iss-same", "iss is the issuer of the metadata", "compares iss with the metadata",
      .must("iss is identical to issuer", "RFC 9207, 2.4")
    ) { trial in
      guard let iss = try trial.right.landing["iss"] else { return .notUsed("no iss in the redirect") }
      return trial.finding(iss == trial.provider.issuer, "it is", "iss is \(iss), issuer \(trial.provider.issuer)")
    },
    .init(
      topic, "iss-error", "An error redirect has iss", "sends a request that is refused",
      .must("error responses have iss, too", "RFC 9207, 2"), needs: ["authorization_response_iss_parameter_supported"]
    ) { trial in
      guard trial.provider.metadata["authorization_response_iss_parameter_supported"] == .bool(true) else {
        return .notUsed("iss is not promised")
      }
      let landing = try await trial.authorize { $0["response_type"] = "conform" }
      guard landing.url != nil else { return .notUsed("the error is on a page") }
      return trial.finding(landing["iss"] == trial.provider.issuer, "it has", "iss is \(landing["iss"] ?? "missing")")
    },
    .init(
      topic, "no-tokens", "The code flow puts no tokens into the redirect", "looks at the redirect",
      .must("the redirect of the code flow has a code and no tokens", "RFC 6749, 4.1.2")
    ) { trial in
      let landing = try trial.right.landing
      return trial.finding(
        landing["access_token"] == nil && landing["id_token"] == nil, "none", "tokens are in the redirect")
    },
    .init(
      topic, "status", "The redirect is 302 or 303", "reads the status of the redirect",
      .must("307 would repeat the form with the password at the client", "RFC 9700, 4.12")
    ) { trial in
      guard let last = try trial.right.landing.last, last.headers["Location"] != nil else {
        return .notUsed("the provider does not redirect by a header field")
      }
      return trial.finding([302, 303].contains(last.status), "\(last.status)", "the status is \(last.status)")
    },
    .init(
      topic, "no-store", "The redirect is not stored by caches", "reads Cache-Control of the redirect",
      .should("a code must not stay in a cache", "RFC 6749, 10.5; RFC 9700, 4.2.4")
    ) { trial in
      guard let last = try trial.right.landing.last, last.headers["Location"] != nil else {
        return .notUsed("no redirect")
      }
      return trial.finding(
        last.cacheControl.contains("no-store") || last.cacheControl.contains("no-cache"), "it is not",
        "Cache-Control: \(last.headers["Cache-Control"] ?? "missing")")
    },
  ]
}

extension Finding {
  /// The provider answered in another way than the check looks for.
  static func told(_ landing: Landing) -> Finding { .unclear(landing.shown) }
}
