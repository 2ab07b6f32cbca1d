import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// Userinfo.
enum UserinfoChecks {
  private static let userTopic = Topic(
    "provider.userinfo", "Userinfo", .openID, wrong: .provider,
    means: "Others read the user's data, or the application takes the data of another user.",
    change: [
      "In general": "Take access tokens in the header alone, and check signature, lifetime and audience of each."
    ])

  private static let userinfoSource = "OpenID Connect Core 1.0, 5.3"

  static let userinfo: [ProviderCheck] = [
    .init(
      userTopic, "right", "Userinfo answers with JSON", "asks with the access token",
      .must("the response is JSON, or a JWT that was registered", "\(userinfoSource).2"), needs: ["userinfo_endpoint"],
      peers: ["oidf:oidcc-userinfo-get"]
    ) { trial in
      let answer = try await trial.userinfo()
      guard answer.isSuccess else { return answer.accepted() }
      return trial.finding(
        ["application/json", "application/jwt"].contains(answer.mediaType), answer.mediaType,
        "it is '\(answer.mediaType)'")
    },
    .init(
      userTopic, "subject", "sub is that of the ID token", "compares sub",
      .must("sub is always there, and is that of the ID token", "\(userinfoSource).2"), needs: ["userinfo_endpoint"]
    ) { trial in
      let sub = try await trial.userinfo().needed("userinfo")["sub"]
      let own = try trial.idClaims()["sub"]
      return trial.finding(sub != nil && sub == own, "it is", "sub is \(sub?.encoded() ?? "missing")")
    },
    .init(
      userTopic, "post", "Userinfo takes POST", "asks by POST with the header",
      .must("the endpoint takes GET and POST", "\(userinfoSource).1"), needs: ["userinfo_endpoint"],
      peers: ["oidf:oidcc-userinfo-post-header"]
    ) { trial in
      try await trial.userinfo(method: "POST").accepted()
    },
    .init(
      userTopic, "body", "The token may be in a form", "posts the token as access_token",
      .may("a form with the token is one of three ways", "RFC 6750, 2.2"), needs: ["userinfo_endpoint"],
      peers: ["oidf:oidcc-userinfo-post-body"]
    ) { trial in
      try await trial.post(
        try trial.endpoint("userinfo_endpoint"), ["access_token": try trial.right.accessToken], as: nil
      ).accepted()
    },
    .init(
      userTopic, "query", "A token in the query is refused", "sends the token as ?access_token=",
      .must("tokens are not in queries", "OAuth 2.1 draft, 5.1; RFC 9700, 4.3.2"), [.oauth21, .fapi2, .oidc],
      needs: ["userinfo_endpoint"]
    ) { trial in
      let fields: Fields = ["access_token": try trial.right.accessToken]
      return try await trial.get(WebAddress(try trial.endpoint("userinfo_endpoint")).appending(fields.encoded))
        .refused()
    },
    .init(
      userTopic, "no-token", "Without a token the answer is 401", "asks without a token",
      .must("the status is 401 with WWW-Authenticate", "RFC 6750, 3"), needs: ["userinfo_endpoint"]
    ) { trial in
      let answer = try await trial.get(try trial.endpoint("userinfo_endpoint"))
      return trial.finding(
        answer.status == 401 && answer.headers["WWW-Authenticate"] != nil, "401",
        "\(answer.status), WWW-Authenticate: \(answer.headers["WWW-Authenticate"] ?? "missing")")
    },
    .init(
      userTopic, "no-token-error", "Without a token there is not an error code", "asks without a token",
      .should("a request without authentication gets no error code", "RFC 6750, 3.1"), needs: ["userinfo_endpoint"]
    ) { trial in
      let answer = try await trial.get(try trial.endpoint("userinfo_endpoint"))
      return trial.finding(
        answer.headers["WWW-Authenticate"]?.contains("error=") != true, "none", answer.headers["WWW-Authenticate"] ?? ""
      )
    },
    .init(
      userTopic, "unknown", "An unknown token is refused", "sends a token that never was",
      .must("the error is invalid_token, with the status 401", "RFC 6750, 3.1"), needs: ["userinfo_endpoint"]
    ) { trial in
      let answer = try await trial.userinfo(token: SecureRandom.token())
      guard answer.status == 401 else {
        return answer.isSuccess ? answer.refused() : .broken("the status is \(answer.shown)")
      }
      return trial.finding(
        answer.headers["WWW-Authenticate"]?.contains("invalid_token") == true, "invalid_token",
        "WWW-Authenticate: \(answer.headers["WWW-Authenticate"] ?? "missing")")
    },
    .init(
      userTopic, "changed", "A token with another signature is refused", "changes the token",
      .must("the signature of the token is checked", "RFC 6750, 5.2; RFC 9068, 4"), needs: ["userinfo_endpoint"]
    ) { trial in
      let token = try trial.right.accessToken
      let changed = token.contains(".") ? Trial.tampered(token) : (token.first == "A" ? "B" : "A") + token.dropFirst()
      return try await trial.userinfo(token: changed).refused()
    },
    .init(
      userTopic, "unsigned", "A token without a signature is refused", "sends the claims of the token with alg none",
      .must("none is refused", "RFC 8725, 3.1; RFC 9068, 4"), needs: ["userinfo_endpoint"]
    ) { trial in
      let claims = try trial.accessJWT().claims.object ?? [:]
      return try await trial.userinfo(token: Trial.unsigned(claims)).refused()
    },
    .init(
      userTopic, "id-token", "An ID token is not an access token", "sends the ID token",
      .must("the endpoint takes access tokens", "\(userinfoSource).1; RFC 9068, 4"), needs: ["userinfo_endpoint"]
    ) { trial in
      guard let token = try trial.right.idToken else { return .notUsed("no ID token is issued") }
      return try await trial.userinfo(token: token).refused()
    },
    .init(
      userTopic, "refresh-token", "A refresh token is not an access token", "sends the refresh token",
      .must("refresh tokens are for the token endpoint alone", "RFC 6749, 1.5"), needs: ["userinfo_endpoint"]
    ) { trial in
      guard let token = try trial.right.refreshToken else { return .notUsed("no refresh token is issued") }
      return try await trial.userinfo(token: token).refused()
    },
    .init(
      userTopic, "scheme-case", "The scheme may be in lower case", "sends Authorization: bearer",
      .must("the scheme is compared without letter case", "RFC 9110, 11.1"), needs: ["userinfo_endpoint"]
    ) { trial in
      try await trial.userinfo(scheme: "bearer").accepted()
    },
    .init(
      userTopic, "scheme", "Another scheme is refused", "sends the token as Basic",
      .must("the scheme is Bearer", "RFC 6750, 2.1"), needs: ["userinfo_endpoint"]
    ) { trial in
      try await trial.userinfo(scheme: "Basic").refused()
    },
    .init(
      userTopic, "two-tokens", "Two tokens in one request are refused", "sends the token in header and form",
      .should("more than one way to send a token is invalid_request", "RFC 6750, 2 and 3.1"),
      needs: ["userinfo_endpoint"]
    ) { trial in
      let token = try trial.right.accessToken
      let answer = try await trial.post(
        try trial.endpoint("userinfo_endpoint"), ["access_token": token], as: nil, ["Authorization": "Bearer \(token)"])
      return answer.refused()
    },
    .init(
      userTopic, "no-store", "The response is not stored", "reads Cache-Control",
      .should("data of a user stays out of caches", "RFC 6750, 5.3; RFC 9111, 5.2.2.5"), needs: ["userinfo_endpoint"]
    ) { trial in
      let answer = try await trial.userinfo().needed("userinfo")
      return trial.finding(
        !answer.cacheControl.isDisjoint(with: ["no-store", "private", "no-cache"]), "it is not",
        "Cache-Control: \(answer.headers["Cache-Control"] ?? "missing")")
    },
    .init(
      userTopic, "no-null", "Claims without a value are left out", "looks for null",
      .should("claims that are not returned are left out", "\(userinfoSource).2"), needs: ["userinfo_endpoint"]
    ) { trial in
      let members = try await trial.userinfo().needed("userinfo").json?.object ?? [:]
      let names = members.filter { $0.value == .null || $0.value == "" }.keys.sorted()
      return trial.finding(names.isEmpty, "they are", "empty: \(names.joined(separator: ", "))")
    },
  ]
}
