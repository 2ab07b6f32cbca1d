import Conform
import Core
import Crypto
import HTTPClient
import JSON

/// Registration of clients, and sign-out.
extension ProviderCheck {
  private static let topic = Topic(
    "provider.registration", "Dynamic registration", [.oidc, .oauth21, .mcp], wrong: .provider,
    means: "Somebody registers a client that looks like another one, or takes a registration over.",
    change: ["In general": "Check redirect URIs and addresses of a registration, and protect it by its access token."])

  private static let rfc7591 = "RFC 7591, 3"
  private static let endpoint = "registration_endpoint"

  private static let wrongMetadata: [(name: String, title: String, rule: Rule, members: [String: JSON])] = [
    ("fragment", "A redirect URI with a fragment is refused", .must("the error is invalid_redirect_uri", "\(rfc7591).2.2; RFC 6749, 3.1.2"), ["redirect_uris": ["https://conform.example/callback#x"]]),
    ("javascript", "A javascript redirect URI is refused", .must("the error is invalid_redirect_uri", "\(rfc7591).2.2 and 5"), ["redirect_uris": ["javascript:alert(1)"]]),
    ("http", "A redirect URI with http is refused", .should("redirect URIs are https, loopback or of an application", "RFC 7591, 5; RFC 9700, 2.6"), ["redirect_uris": ["http://conform.example/callback"]]),
    ("no-redirect", "A registration without redirect URIs is refused", .must("clients of redirecting flows register redirect URIs", "RFC 7591, 2; RFC 9700, 4.1.3"), ["redirect_uris": []]),
    ("relative", "A relative redirect URI is refused", .must("the error is invalid_redirect_uri", "\(rfc7591).2.2; RFC 6749, 3.1.2"), ["redirect_uris": ["/callback"]]),
    ("method", "An unknown authentication method is refused", .must("the error is invalid_client_metadata", "\(rfc7591).2.2"), ["token_endpoint_auth_method": "conform"]),
    ("grant", "An unknown grant type is refused", .should("the error is invalid_client_metadata", "\(rfc7591).2.2"), ["grant_types": ["conform"]]),
    ("mismatch", "Response types without their grant are refused", .should("grant_types and response_types fit each other", "RFC 7591, 2.1"), ["grant_types": ["client_credentials"], "response_types": ["code"], "token_endpoint_auth_method": "client_secret_basic"]),
    ("two-key-sets", "jwks and jwks_uri together are refused", .must("the two are not there together", "RFC 7591, 2"), ["jwks": ["keys": []], "jwks_uri": "https://conform.example/keys"]),
    ("types", "A redirect URI that is a text is refused", .must("redirect_uris is an array", "RFC 7591, 2 and 3.2.2"), ["redirect_uris": "https://conform.example/callback"]),
    ("logo", "A logo of a javascript address is refused", .should("addresses for people are web pages", "RFC 7591, 2 and 5"), ["logo_uri": "javascript:alert(1)"]),
  ]

  static let registration: [ProviderCheck] = wrongMetadata.map { wrong in
    ProviderCheck(topic, wrong.name, wrong.title, "registers metadata that are wrong there", wrong.rule, needs: [endpoint]) { trial in
      let answer = try await trial.register(wrong.members)
      try await trial.unregister(answer)
      return answer.refused()
    }
  } + registrations + logout

  private static let registrations: [ProviderCheck] = [
    .init(topic, "right", "A registration gets 201 with client_id", "registers a client", .must("the status is 201, with client_id", "\(rfc7591).2.1"), needs: [endpoint]) { trial in
      let answer = try await trial.registered()
      return trial.finding(answer.status == 201 && answer.string("client_id") != nil, "201", answer.shown)
    },
    .init(topic, "echo", "The response has the registered metadata", "compares redirect_uris", .must("all registered metadata are returned", "\(rfc7591).2.1"), needs: [endpoint]) { trial in
      let answer = try await trial.registered()
      return trial.finding(answer["redirect_uris"] == [.string(ClientRegistration.redirectURI)], "it has", "redirect_uris is \(answer["redirect_uris"]?.encoded() ?? "missing")")
    },
    .init(topic, "secret-expiry", "A secret comes with its expiry", "registers a client with a secret", .must("client_secret_expires_at is required with client_secret", "\(rfc7591).2.1"), needs: [endpoint]) { trial in
      let answer = try await trial.registered(["token_endpoint_auth_method": "client_secret_basic"])
      guard answer["client_secret"] != nil else { return .notUsed("no secret is issued") }
      return trial.finding(answer["client_secret_expires_at"]?.lenientInteger != nil, "it does", "there is no client_secret_expires_at")
    },
    .init(topic, "no-secret", "A public client gets no secret", "registers a client with the method none", .should("a public client has no secret", "RFC 7591, 2 and 3.2.1"), needs: [endpoint]) { trial in
      trial.finding(try await trial.registered()["client_secret"] == nil, "none", "a secret was issued")
    },
    .init(topic, "unknown-member", "An unknown member is ignored", "registers the member conform", .must("unknown members are ignored", "RFC 7591, 2"), needs: [endpoint]) { trial in
      let answer = try await trial.register(["conform": "1"])
      try await trial.unregister(answer)
      return answer.accepted()
    },
    .init(topic, "chosen-id", "A client cannot choose its ID", "registers with a client_id", .must("the provider makes client_id", "RFC 7591, 2 and 3.2.1"), needs: [endpoint]) { trial in
      let answer = try await trial.register(["client_id": "conform-chosen"])
      try await trial.unregister(answer)
      return trial.finding(answer.string("client_id") != "conform-chosen", answer.shown, "the client chose its ID")
    },
    .init(topic, "form", "A form is refused", "registers by a form", .must("the request is application/json", "\(rfc7591).1"), needs: [endpoint]) { trial in
      try await trial.post(try trial.endpoint(endpoint), ["redirect_uris": ClientRegistration.redirectURI], as: nil).refused()
    },
    .init(topic, "no-store", "The response is not stored", "reads Cache-Control", .must("the response has Cache-Control: no-store", "\(rfc7591).2.1"), needs: [endpoint]) { trial in
      let answer = try await trial.registered()
      return trial.finding(answer.cacheControl.contains("no-store"), "it is not", "Cache-Control: \(answer.headers["Cache-Control"] ?? "missing")")
    },
    .init(topic, "read", "A registration can be read by its token", "reads the registration", .must("the response has the metadata", "RFC 7592, 2.1"), needs: [endpoint]) { trial in
      try await trial.managed("GET") { $0 }.accepted()
    },
    .init(topic, "read-anonymous", "A registration cannot be read without its token", "reads the registration without a token", .must("the token is required", "RFC 7592, 2 and 5"), needs: [endpoint]) { trial in
      try await trial.managed("GET") { _ in nil }.refused()
    },
    .init(topic, "read-wrong", "A registration cannot be read by another token", "reads the registration with another token", .must("the status is 401", "RFC 7592, 2.1"), needs: [endpoint]) { trial in
      try await trial.managed("GET") { _ in SecureRandom.token() }.refused()
    },
    .init(topic, "delete-anonymous", "A registration cannot be deleted without its token", "deletes the registration without a token", .must("the token is required", "RFC 7592, 2.3 and 5"), needs: [endpoint]) { trial in
      try await trial.managed("DELETE") { _ in nil }.refused()
    },
    .init(topic, "delete", "A registration can be deleted by its token", "deletes the registration", .should("the status is 204", "RFC 7592, 2.3"), needs: [endpoint]) { trial in
      let answer = try await trial.managed("DELETE") { $0 }
      if let unclear = answer.unclear { return unclear }
      return trial.finding(answer.status == 204, "204", answer.shown)
    },
  ]

  // MARK: Sign-out

  private static let logoutTopic = Topic(
    "provider.logout", "Sign-out", .openID, wrong: .provider,
    means: "A sign-out leads the user to a foreign page, or does not end the session.",
    change: ["In general": "Compare post_logout_redirect_uri exactly, and ask the user without a valid id_token_hint.", "B2C": "Require the ID token in logout requests, in the properties of the user flow."])

  private static let rpInitiated = "OpenID Connect RP-Initiated Logout 1.0"

  static let logout: [ProviderCheck] = [
    .init(logoutTopic, "page", "A sign-out without parameters is no error", "opens the endpoint", .must("no parameter is required", "\(rpInitiated), 2"), needs: ["end_session_endpoint"]) { trial in
      try await trial.signOut([:]).status < 400 ? .kept("it is not") : .broken("the sign-out is an error")
    },
    .init(logoutTopic, "post", "The endpoint takes POST", "posts an empty form", .must("the endpoint takes GET and POST", "\(rpInitiated), 2"), needs: ["end_session_endpoint"]) { trial in
      let answer = try await trial.post(try trial.endpoint("end_session_endpoint"), [:], as: nil)
      if let unclear = answer.unclear { return unclear }
      return trial.finding(answer.status < 400, "\(answer.status)", answer.shown)
    },
    .init(logoutTopic, "foreign", "A foreign address is not opened", "sends post_logout_redirect_uri=https://attacker.example", .must("the provider redirects to registered addresses alone", "\(rpInitiated), 3; RFC 9700, 4.11.2"), needs: ["end_session_endpoint"]) { trial in
      let answer = try await trial.signOut(["post_logout_redirect_uri": "https://attacker.example/"])
      let target = answer.headers["Location"] ?? ""
      return trial.finding(!target.hasPrefix("https://attacker.example"), "it is not", "the provider redirected to \(WebAddress(target).shown)")
    },
    .init(logoutTopic, "foreign-hint", "A foreign address is not opened with an ID token either", "sends id_token_hint and a foreign address", .must("the provider redirects to registered addresses alone", "\(rpInitiated), 3"), needs: ["end_session_endpoint"]) { trial in
      guard let token = try await trial.tokens().string("id_token") else { return .notUsed("no ID token is issued") }
      let answer = try await trial.signOut(["post_logout_redirect_uri": "https://attacker.example/", "id_token_hint": token])
      let target = answer.headers["Location"] ?? ""
      return trial.finding(!target.hasPrefix("https://attacker.example"), "it is not", "the provider redirected to \(WebAddress(target).shown)")
    },
    .init(logoutTopic, "script", "A javascript address is not opened", "sends post_logout_redirect_uri=javascript:", .must("the provider redirects to registered addresses alone", "\(rpInitiated), 3"), needs: ["end_session_endpoint"]) { trial in
      let answer = try await trial.signOut(["post_logout_redirect_uri": "javascript:alert(1)"])
      let isOpened = answer.headers["Location"]?.hasPrefix("javascript:") == true || answer.text.contains("href=\"javascript:alert(1)")
      return trial.finding(!isOpened, "it is not", "the page leads to the script")
    },
    .init(logoutTopic, "broken-hint", "A broken id_token_hint is no server error", "sends id_token_hint=conform", .should("the provider asks the user, or tells the error", "\(rpInitiated), 2 and 4"), needs: ["end_session_endpoint"]) { trial in
      let answer = try await trial.signOut(["id_token_hint": "conform"])
      return trial.finding(answer.status < 500, "\(answer.status)", "the status is \(answer.status)")
    },
  ]
}

extension Trial {
  /// Registers a public client with changed metadata.
  func register(_ members: [String: JSON]) async throws -> Answer {
    let usual: [String: JSON] = [
      "redirect_uris": [.string(ClientRegistration.redirectURI)], "client_name": "b2c-run conform",
      "token_endpoint_auth_method": "none",
    ]
    return try await send(
      HTTPRequest(
        method: "POST", url: try endpoint("registration_endpoint"), headers: ["Content-Type": "application/json"],
        body: Array(JSON.object(usual.merging(members) { $1 }).encoded().utf8)))
  }

  /// Registers a client, and removes it again.
  func registered(_ members: [String: JSON] = [:]) async throws -> Answer {
    let answer = try await register(members).needed("the registration")
    try await unregister(answer)
    return answer
  }

  /// Removes a client that was registered, where the provider offers it.
  func unregister(_ answer: Answer) async throws {
    guard let url = answer.string("registration_client_uri"), let token = answer.string("registration_access_token")
    else { return }
    _ = try await send(HTTPRequest(method: "DELETE", url: url, headers: ["Authorization": "Bearer \(token)"]))
  }

  /// Registers a client, and sends a request to its registration.
  func managed(_ method: String, _ token: (String) -> String?) async throws -> Answer {
    let registration = try await register([:]).needed("the registration")
    guard let url = registration.string("registration_client_uri"),
      let own = registration.string("registration_access_token")
    else { throw EndOfProbe(.notUsed("registrations cannot be managed")) }
    var headers = HTTPHeaders()
    if let token = token(own) { headers["Authorization"] = "Bearer \(token)" }
    let answer = try await send(HTTPRequest(method: method, url: url, headers: headers))
    if method != "DELETE" || !answer.isSuccess { try await unregister(registration) }
    return answer
  }

  /// Opens the sign-out without the session of the run.
  func signOut(_ fields: Fields) async throws -> Answer {
    try await get(WebAddress(try endpoint("end_session_endpoint")).appending(fields.encoded))
  }
}
