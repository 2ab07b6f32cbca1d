import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// Refresh tokens and client credentials.
enum RefreshChecks {
  private static let topic = Topic(
    "provider.refresh", "Refresh tokens", wrong: .provider,
    means: "A stolen refresh token is good for weeks, and nobody notices.",
    change: [
      "In general": "Rotate the refresh tokens of public clients, and revoke the whole sign-in if an old one comes.",
      "B2C": "Refresh tokens are rotated, but an old one is still accepted; limit their lifetime in the user flow.",
      "Entra": "Old refresh tokens stay valid; revoke sessions after an incident.",
    ])

  static let refreshes: [ProviderCheck] = [
    .init(
      topic, "right", "A refresh token gives a new access token", "refreshes",
      .must("the response has an access token", "RFC 6749, 6"), peers: ["oidf:oidcc-refresh-token"]
    ) { trial in
      let (token, before) = try await trial.refreshToken()
      let answer = try await trial.refresh(token)
      guard answer.isSuccess else { return answer.accepted() }
      let new = answer.string("access_token")
      return trial.finding(new != nil && new != before.string("access_token"), "it does", "no new access token came")
    },
    .init(
      topic, "rotation", "The refresh token of a public client is replaced", "refreshes",
      .must("refresh tokens of public clients are rotated or bound to a key", "RFC 9700, 2.2.2 and 4.14.2"),
      [.oauth21, .mcp]
    ) { trial in
      guard try trial.client.method == .none else { return .notUsed("a confidential client") }
      let (token, _) = try await trial.refreshToken()
      let new = try await trial.refresh(token).needed("the refresh").string("refresh_token")
      return trial.finding(
        new != nil && new != token, "it is", new == nil ? "no new refresh token came" : "the same refresh token came")
    },
    .init(
      topic, "reuse", "An old refresh token of a public client is refused", "uses a refresh token twice",
      .must("a replaced refresh token is not valid any more", "RFC 9700, 4.14.2"), [.oauth21, .mcp]
    ) { trial in
      guard try trial.client.method == .none else { return .notUsed("a confidential client") }
      let (token, _) = try await trial.refreshToken()
      let new = try await trial.refresh(token).needed("the refresh").string("refresh_token")
      guard new != nil, new != token else { return .notUsed("refresh tokens are not rotated") }
      return try await trial.refresh(token).refused("invalid_grant")
    },
    .init(
      topic, "reuse-revokes", "An old refresh token revokes the new one", "uses an old refresh token, then the new one",
      .should("the provider cannot know who is the thief, and revokes both", "RFC 9700, 4.14.2"), [.oauth21, .mcp]
    ) { trial in
      guard try trial.client.method == .none else { return .notUsed("a confidential client") }
      let (token, _) = try await trial.refreshToken()
      let new = try await trial.refresh(token).needed("the refresh").string("refresh_token")
      guard let new, new != token else { return .notUsed("refresh tokens are not rotated") }
      _ = try await trial.refresh(token)
      return try await trial.refresh(new).refused("invalid_grant")
    },
    .init(
      topic, "fapi-rotation", "The refresh token of a confidential client stays", "refreshes",
      .must("refresh tokens are not rotated, except in extraordinary cases", "FAPI 2.0 Security Profile, 5.3.2.1"),
      [.fapi2]
    ) { trial in
      guard try trial.client.isConfidential else { return .notUsed("a public client") }
      let (token, _) = try await trial.refreshToken()
      let new = try await trial.refresh(token).needed("the refresh").string("refresh_token")
      return trial.finding(new == nil || new == token, "it stays", "a new refresh token came")
    },
    .init(
      topic, "client", "A refresh token of another client is refused", "refreshes as another client",
      .must("a refresh token is bound to its client", "RFC 6749, 6 and 10.4"),
      peers: ["oidf:fapi2-security-profile-final-refresh-token"]
    ) { trial in
      let other = try trial.otherClient
      let (token, _) = try await trial.refreshToken()
      return try await trial.refresh(token, as: other).refused("invalid_grant")
    },
    .init(
      topic, "unknown", "An unknown refresh token is refused", "sends a refresh token that never was",
      .must("the error is invalid_grant", "RFC 6749, 5.2")
    ) { trial in
      try await trial.refresh("conform-\(SecureRandom.token())").refused("invalid_grant")
    },
    .init(
      topic, "missing", "A refresh without a token is refused", "leaves refresh_token out",
      .must("the error is invalid_request", "RFC 6749, 5.2 and 6")
    ) { trial in
      try await trial.refresh("") { $0["refresh_token"] = nil }.refused("invalid_request", "invalid_grant")
    },
    .init(
      topic, "access-token", "An access token is not a refresh token", "sends the access token as refresh_token",
      .must("the error is invalid_grant", "RFC 6749, 5.2 and 6")
    ) { trial in
      try await trial.refresh(try trial.right.accessToken).refused("invalid_grant", "invalid_request")
    },
    .init(
      topic, "wider", "A wider scope is refused", "refreshes with one more scope",
      .must("the scope has nothing that was not granted", "RFC 6749, 6")
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      let answer = try await trial.refresh(token) { $0["scope"] = "openid conform:wider" }
      guard answer.isSuccess else { return answer.refused("invalid_scope", "invalid_request", "invalid_grant") }
      let has = answer.string("scope")?.split(separator: " ").contains("conform:wider") == true
      return trial.finding(!has, "the wider scope is left out", "the wider scope was granted")
    },
    .init(
      topic, "narrower", "A narrower scope is accepted", "refreshes with the scope openid",
      .must("a part of the granted scope may be requested", "RFC 6749, 6")
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      let parts = try trial.client.scope.split(separator: " ").dropLast()
      guard parts.count > 1 else { return .notUsed("there is one scope alone") }
      return try await trial.refresh(token) { $0["scope"] = parts.joined(separator: " ") }.accepted()
    },
    .init(
      topic, "twice", "Two refresh tokens in one request are refused", "sends refresh_token twice",
      .must("parameters come once", "RFC 6749, 3.2")
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      return try await trial.refresh(token) { $0.add("refresh_token", "conform") }.refused()
    },
    .init(
      topic, "changed", "A changed refresh token is refused", "changes the first letter of a refresh token",
      .must("the error is invalid_grant", "RFC 6749, 5.2 and 10.4")
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      return try await trial.refresh((token.first == "A" ? "B" : "A") + token.dropFirst()).refused("invalid_grant")
    },
    .init(
      topic, "length", "A refresh token has at least 128 bits", "measures a refresh token",
      .must("a token cannot be guessed", "RFC 6749, 10.10")
    ) { trial in
      guard let token = try trial.right.refreshToken else { return .notUsed("no refresh token is issued") }
      let bits = Double(token.count) * Alphabet.bits(token)
      return trial.finding(bits >= 128, "\(token.count) characters", "at most \(Int(bits)) bits")
    },
    .init(
      topic, "id-token-same", "The ID token of a refresh is of the same user", "compares sub, iss and aud",
      .must("iss, sub and aud are those of the first ID token", "OpenID Connect Core 1.0, 12.2"), .openID
    ) { trial in
      let (token, before) = try await trial.refreshToken()
      let answer = try await trial.refresh(token).needed("the refresh")
      guard answer["id_token"] != nil else { return .notUsed("a refresh gives no ID token") }
      let (old, new) = (try trial.idToken(in: before).claims, try trial.idToken(in: answer).claims)
      let wrong = ["iss", "sub", "aud"].filter { old[$0] != new[$0] }
      return trial.finding(wrong.isEmpty, "it is", "another \(wrong.joined(separator: ", "))")
    },
    .init(
      topic, "auth-time", "auth_time of a refresh is that of the sign-in", "compares auth_time",
      .must("auth_time is the time of the original authentication", "OpenID Connect Core 1.0, 12.2"), .openID
    ) { trial in
      let (token, before) = try await trial.refreshToken()
      let answer = try await trial.refresh(token).needed("the refresh")
      guard answer["id_token"] != nil, let time = try trial.idToken(in: before).claims["auth_time"] else {
        return .notUsed("no auth_time")
      }
      return trial.finding(try trial.idToken(in: answer).claims["auth_time"] == time, "it is", "auth_time changed")
    },
    .init(
      topic, "no-store", "The response of a refresh is not stored", "refreshes",
      .must("the response has Cache-Control: no-store", "RFC 6749, 5.1 and 6")
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      let answer = try await trial.refresh(token).needed("the refresh")
      return trial.finding(
        answer.cacheControl.contains("no-store"), "it is not",
        "Cache-Control: \(answer.headers["Cache-Control"] ?? "missing")")
    },
  ]

  // MARK: Client credentials

  private static let credentialsTopic = Topic(
    "provider.credentials", "Client credentials", wrong: .provider,
    means: "A program without a user gets more than it may, or anybody gets its token.",
    change: ["In general": "Give tokens of the application to authenticated clients alone, and no refresh tokens."])

  static let credentials: [ProviderCheck] = [
    .init(
      credentialsTopic, "public", "A public client gets no token by itself",
      "sends client_credentials without a secret",
      .must("client credentials are for confidential clients", "RFC 6749, 4.4")
    ) { trial in
      guard try trial.client.method == .none else { return .notUsed("no public client is given") }
      return try await trial.ownToken(as: try trial.client).refused(
        "unauthorized_client", "invalid_client", "unsupported_grant_type", "invalid_request", "invalid_grant")
    },
    .init(
      credentialsTopic, "no-refresh", "Client credentials give no refresh token", "looks at the response",
      .should("a refresh token is not included", "RFC 6749, 4.4.3")
    ) { trial in
      let answer = try await trial.ownToken(as: try trial.secretClient)
      guard answer.isSuccess else { return .notUsed("the client may not: \(answer.shown)") }
      return trial.finding(answer["refresh_token"] == nil, "none", "a refresh token came")
    },
    .init(
      credentialsTopic, "no-id-token", "Client credentials give no ID token", "looks at the response",
      .should("an ID token is about a user", "OpenID Connect Core 1.0, 1.2 and 2"), .openID
    ) { trial in
      let answer = try await trial.ownToken(as: try trial.secretClient)
      guard answer.isSuccess else { return .notUsed("the client may not: \(answer.shown)") }
      return trial.finding(answer["id_token"] == nil, "none", "an ID token came")
    },
    .init(
      credentialsTopic, "wrong-secret", "A wrong secret gives no token", "sends client_credentials with a wrong secret",
      .must("the error is invalid_client", "RFC 6749, 4.4.2 and 5.2"), danger: .mayLock
    ) { trial in
      var client = try trial.secretClient
      client.secret = Secret(SecureRandom.token())
      return try await trial.ownToken(as: client).refused("invalid_client")
    },
    .init(
      credentialsTopic, "scope", "An unknown scope is refused", "asks for the scope conform:unknown",
      .should("the error is invalid_scope", "RFC 6749, 3.3 and 5.2")
    ) { trial in
      let answer = try await trial.ownToken(as: try trial.secretClient, scope: "conform:unknown")
      guard answer.isSuccess else { return answer.refused() }
      return trial.finding(
        answer.string("scope")?.contains("conform:unknown") != true, "it is left out", "the scope was granted")
    },
  ]
}
