import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// Introspection and revocation.
enum AfterSignInChecks {
  private static let introspectionTopic = Topic(
    "provider.introspection", "Introspection", wrong: .provider,
    means: "Anybody who has a token can read what is in it, or an API takes a token that has ended.",
    change: [
      "In general": "Authenticate each caller, and answer {\"active\": false} alone about tokens that are not valid."
    ])

  private static let rfc7662 = "RFC 7662, 2"

  static let introspection: [ProviderCheck] = [
    .init(
      introspectionTopic, "active", "A valid token is active", "asks about an access token of the client",
      .must("active is true for a valid token", "\(rfc7662).2"), needs: ["introspection_endpoint"]
    ) { trial in
      let (client, token) = try await trial.ownAccessToken()
      let answer = try await trial.introspect(token, as: client).needed("the introspection")
      return trial.finding(
        answer["active"] == .bool(true), "it is", "active is \(answer["active"]?.encoded() ?? "missing")")
    },
    .init(
      introspectionTopic, "unknown", "An unknown token is not active", "asks about a token that never was",
      .must("the answer is active=false, not an error", "\(rfc7662).2"), needs: ["introspection_endpoint"]
    ) { trial in
      let answer = try await trial.introspect(SecureRandom.token(), as: try trial.confidentialClient)
      if let unclear = answer.unclear { return unclear }
      return trial.finding(answer.status == 200 && answer["active"] == .bool(false), "active is false", answer.shown)
    },
    .init(
      introspectionTopic, "bare", "The answer about an unknown token has active alone",
      "asks about a token that never was", .should("the response has active alone", "\(rfc7662).2"),
      needs: ["introspection_endpoint"]
    ) { trial in
      let answer = try await trial.introspect(SecureRandom.token(), as: try trial.confidentialClient)
      guard answer["active"] == .bool(false) else { return .unclear(answer.shown) }
      return trial.finding(
        answer.json?.object?.count == 1, "it has",
        "it has \(answer.json?.object?.keys.sorted().joined(separator: ", ") ?? "")")
    },
    .init(
      introspectionTopic, "anonymous", "A caller without authentication is refused", "asks without a client",
      .must("the endpoint requires authorization", "\(rfc7662).1 and 4"), needs: ["introspection_endpoint"]
    ) { trial in
      try await trial.introspect(try trial.right.accessToken, as: nil).refused()
    },
    .init(
      introspectionTopic, "wrong-secret", "A caller with a wrong secret gets 401", "asks with a wrong secret",
      .must("the status is 401", "\(rfc7662).3"), needs: ["introspection_endpoint"], danger: .mayLock
    ) { trial in
      var client = try trial.secretClient
      client.secret = Secret(SecureRandom.token())
      let answer = try await trial.introspect("x", as: client)
      return trial.finding(answer.status == 401, "401", answer.shown)
    },
    .init(
      introspectionTopic, "get", "GET is refused", "asks by GET",
      .should("tokens are not in queries", "\(rfc7662).1 and 4"), needs: ["introspection_endpoint"]
    ) { trial in
      let fields: Fields = ["token": try trial.right.accessToken]
      return try await trial.get(WebAddress(try trial.endpoint("introspection_endpoint")).appending(fields.encoded))
        .refused()
    },
    .init(
      introspectionTopic, "no-token", "A request without a token is refused", "leaves token out",
      .must("token is required", "\(rfc7662).1"), needs: ["introspection_endpoint"]
    ) { trial in
      try await trial.post(try trial.endpoint("introspection_endpoint"), [:], as: try trial.confidentialClient)
        .refused()
    },
    .init(
      introspectionTopic, "hint", "A wrong hint does no harm",
      "asks with token_type_hint=refresh_token about an access token",
      .must("the search is extended to other types", "\(rfc7662).1"), needs: ["introspection_endpoint"]
    ) { trial in
      let (client, token) = try await trial.ownAccessToken()
      let answer = try await trial.introspect(token, as: client) { $0["token_type_hint"] = "refresh_token" }
      return trial.finding(answer["active"] == .bool(true), "active is true", answer.shown)
    },
    .init(
      introspectionTopic, "unknown-hint", "An unknown hint does no harm", "asks with token_type_hint=conform",
      .must("an unknown hint is ignored", "\(rfc7662).1; RFC 7009, 2.1"), needs: ["introspection_endpoint"]
    ) { trial in
      let (client, token) = try await trial.ownAccessToken()
      let answer = try await trial.introspect(token, as: client) { $0["token_type_hint"] = "conform" }
      return trial.finding(answer["active"] == .bool(true), "active is true", answer.shown)
    },
    .init(
      introspectionTopic, "types", "active is a boolean, exp a number", "reads the types of the members",
      .must("the members have their types", "\(rfc7662).2"), needs: ["introspection_endpoint"]
    ) { trial in
      let (client, token) = try await trial.ownAccessToken()
      let answer = try await trial.introspect(token, as: client).needed("the introspection")
      let times = ["exp", "iat", "nbf"].filter { answer[$0] != nil && answer[$0]?.anyNumber == nil }
      return trial.finding(
        answer["active"]?.bool != nil && times.isEmpty, "they have",
        "wrong types: \((["active"] + times).joined(separator: ", "))")
    },
    .init(
      introspectionTopic, "changed", "A changed token is not active", "asks about a changed access token",
      .must("the signature of the token is checked", "RFC 7662, 4"), needs: ["introspection_endpoint"]
    ) { trial in
      let (client, token) = try await trial.ownAccessToken()
      let changed = token.contains(".") ? Trial.tampered(token) : (token.first == "A" ? "B" : "A") + token.dropFirst()
      let answer = try await trial.introspect(changed, as: client)
      if let unclear = answer.unclear { return unclear }
      return trial.finding(answer["active"] != .bool(true), "it is not", "a changed token is active")
    },
    .init(
      introspectionTopic, "foreign", "A token of another client tells nothing",
      "asks about the refresh token of another client",
      .should("a caller learns about tokens that concern it alone", "RFC 7662, 4"), needs: ["introspection_endpoint"]
    ) { trial in
      guard let token = try trial.right.refreshToken else { return .notUsed("no refresh token is issued") }
      let caller = try trial.secretClient
      guard try caller.id != trial.client.id else { return .skipped("no second client is given") }
      let answer = try await trial.introspect(token, as: caller)
      if let unclear = answer.unclear { return unclear }
      return trial.finding(answer["active"] != .bool(true), "nothing", "the token of another client is active")
    },
  ]

  // MARK: Revocation

  private static let revocationTopic = Topic(
    "provider.revocation", "Revocation", wrong: .provider,
    means: "A sign-out does not end the access, or a stranger can end it.",
    change: ["In general": "Revoke a refresh token with all tokens of its sign-in, and only for its client."])

  private static let rfc7009 = "RFC 7009, 2"

  static let revocation: [ProviderCheck] = [
    .init(
      revocationTopic, "refresh", "A revoked refresh token is refused", "revokes a refresh token, then uses it",
      .must("a revoked token is not valid any more", "\(rfc7009).1"), needs: ["revocation_endpoint"]
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      try await trial.revoke(token).needed("the revocation")
      return try await trial.refresh(token).refused("invalid_grant")
    },
    .init(
      revocationTopic, "cascade", "A revoked refresh token ends its access token",
      "revokes a refresh token, then asks for userinfo",
      .should("access tokens of the same grant are revoked, too", "\(rfc7009).1"),
      needs: ["revocation_endpoint", "userinfo_endpoint"]
    ) { trial in
      let (token, answer) = try await trial.refreshToken()
      try await trial.revoke(token).needed("the revocation")
      return try await trial.userinfo(token: answer.string("access_token") ?? "").refused()
    },
    .init(
      revocationTopic, "unknown", "An unknown token is not an error", "revokes a token that never was",
      .must("the answer is 200", "\(rfc7009).2"), needs: ["revocation_endpoint"]
    ) { trial in
      let answer = try await trial.revoke("conform-\(SecureRandom.token())")
      return trial.finding(answer.status == 200, "200", answer.shown)
    },
    .init(
      revocationTopic, "again", "A second revocation is not an error", "revokes a token twice",
      .must("the answer is 200", "\(rfc7009).2"), needs: ["revocation_endpoint"]
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      try await trial.revoke(token).needed("the revocation")
      return trial.finding(try await trial.revoke(token).status == 200, "200", "the second revocation is an error")
    },
    .init(
      revocationTopic, "foreign", "Another client cannot revoke", "revokes a token as another client, then uses it",
      .must("the token has to be the client's", "\(rfc7009).1"), needs: ["revocation_endpoint"]
    ) { trial in
      let other = try trial.otherClient
      let (token, _) = try await trial.refreshToken()
      _ = try await trial.revoke(token, as: other)
      return trial.finding(
        try await trial.refresh(token).isSuccess, "the token is still valid", "another client has revoked the token")
    },
    .init(
      revocationTopic, "no-token", "A request without a token is refused", "leaves token out",
      .must("token is required", "\(rfc7009).1"), needs: ["revocation_endpoint"]
    ) { trial in
      try await trial.post(try trial.endpoint("revocation_endpoint"), [:], as: try trial.client).refused(
        "invalid_request")
    },
    .init(
      revocationTopic, "no-client", "A request without a client is refused", "leaves the client out",
      .must("the client is authenticated, or named", "\(rfc7009).1"), needs: ["revocation_endpoint"]
    ) { trial in
      try await trial.post(try trial.endpoint("revocation_endpoint"), ["token": "conform"], as: nil).refused()
    },
    .init(
      revocationTopic, "get", "GET is refused", "revokes by GET", .must("the client uses POST", "\(rfc7009).1"),
      needs: ["revocation_endpoint"]
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      let fields: Fields = ["token": token, "client_id": try trial.client.id]
      return try await trial.get(WebAddress(try trial.endpoint("revocation_endpoint")).appending(fields.encoded))
        .refused()
    },
    .init(
      revocationTopic, "hint", "A wrong hint does no harm", "revokes a refresh token with token_type_hint=access_token",
      .must("the search is extended to other types", "\(rfc7009).1"), needs: ["revocation_endpoint"]
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      try await trial.revoke(token) { $0["token_type_hint"] = "access_token" }.needed("the revocation")
      return try await trial.refresh(token).refused()
    },
    .init(
      revocationTopic, "unknown-hint", "An unknown hint does no harm", "revokes with token_type_hint=conform",
      .must("an unknown hint is ignored", "\(rfc7009).1"), needs: ["revocation_endpoint"]
    ) { trial in
      let (token, _) = try await trial.refreshToken()
      let answer = try await trial.revoke(token) { $0["token_type_hint"] = "conform" }
      return answer.error == "unsupported_token_type" ? .broken(answer.shown) : answer.accepted()
    },
    .init(
      revocationTopic, "wrong-secret", "A wrong secret revokes nothing", "revokes with a wrong secret",
      .must("the client is authenticated", "\(rfc7009).1"), needs: ["revocation_endpoint"], danger: .mayLock
    ) { trial in
      let client = try trial.secretClient
      let (token, _) = try await trial.refreshToken(as: client)
      var wrong = client
      wrong.secret = Secret(SecureRandom.token())
      return try await trial.revoke(token, as: wrong).refused("invalid_client")
    },
    .init(
      revocationTopic, "access", "An access token can be revoked", "revokes an access token",
      .should("access tokens are revoked, or refused by unsupported_token_type", "\(rfc7009).1 and 2.2.1"),
      needs: ["revocation_endpoint"]
    ) { trial in
      let answer = try await trial.revoke(try await trial.tokens().string("access_token") ?? "")
      return answer.error == "unsupported_token_type" ? .kept("unsupported_token_type") : answer.accepted()
    },
  ]
}
