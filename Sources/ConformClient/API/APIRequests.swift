import Conform
import Core
import HTTPClient
import HostLoop

/// Ways to send tokens, requests without them, and the answers.
extension APICheck {
  static let requestChecks: [APICheck] = ways + doors + answers

  private static let w = Topic.apiWays
  private static let d = Topic.apiDoors
  private static let a = Topic.apiAnswers

  private static let ways: [APICheck] = [
    w.api("scheme-case", "Right token with the scheme bearer", .must("A scheme has no letter case.", "RFC 9110, 11.1"))
    { api in
      .accepted(try await api.ask(["bearer \(try api.token())"]))
    },
    w.api(
      "scheme-capitals", "Right token with the scheme BEARER", .must("A scheme has no letter case.", "RFC 9110, 11.1")
    ) { api in
      .accepted(try await api.ask(["BEARER \(try api.token())"]))
    },
    w.api("query", "Right token in the address", .should("An API takes no token from a query.", "RFC 9700, 4.3.2")) {
      api in
      let token = try api.token()
      return .refused(try await api.ask([]) { $0.url = WebAddress($0.url).appending("access_token=\(token)") })
    },
    w.api("form", "Right token in a form", .may("A token in a form is for special cases.", "RFC 6750, 2.2")) { api in
      let token = try api.token()
      return .refused(
        try await api.ask([]) {
          $0.method = "POST"
          $0.headers["Content-Type"] = "application/x-www-form-urlencoded"
          $0.body = URLEncodedForm.bytes([("access_token", token)])
        })
    },
    w.api(
      "cookie", "Right token in a cookie", .should("A token in a cookie is open to forged requests.", "RFC 6750, 5.3")
    ) { api in
      let token = try api.token()
      return .refused(try await api.ask([]) { $0.headers["Cookie"] = "access_token=\(token); token=\(token)" })
    },
    w.api("no-scheme", "Right token without a scheme", .should("The scheme is Bearer.", "RFC 6750, 2.1")) { api in
      .refused(try await api.ask([try api.token()]))
    },
    w.api("other-scheme", "Right token with the scheme Token", .should("The scheme is Bearer.", "RFC 6750, 2.1")) {
      api in
      .refused(try await api.ask(["Token \(try api.token())"]))
    },
    w.api("basic", "Right token with the scheme Basic", .should("The scheme is Bearer.", "RFC 6750, 2.1")) { api in
      .refused(try await api.ask(["Basic \(try api.token())"]))
    },
    w.api("quoted", "Right token in quotes", .may("A token is not quoted.", "RFC 6750, 2.1")) { api in
      .refused(try await api.ask(["Bearer \"\(try api.token())\""]))
    },
    w.api(
      "twice", "A wrong token and a right one in two header fields",
      .should("A client uses one way to send a token.", "RFC 6750, 2")
    ) { api in
      .refused(try await api.ask(["Bearer conform", "Bearer \(try api.token())"]))
    },
    w.api(
      "header-and-query", "A wrong token in the header, a right one in the address",
      .should("A client uses one way to send a token.", "RFC 6750, 2")
    ) {
      api in
      let token = try api.token()
      return .refused(
        try await api.ask(bearer: "conform") { $0.url = WebAddress($0.url).appending("access_token=\(token)") })
    },
    w.api("two-words", "Right token with a second word", .may("A token has no spaces.", "RFC 6750, 2.1")) { api in
      .refused(try await api.ask(["Bearer \(try api.token()) conform"]))
    },
  ]

  private static let doorRule = Rule.must("A protected resource needs a right access token.", "RFC 6749, 7")

  private static let doors: [APICheck] = [
    d.closed("none", "No token", doorRule) { _ in },
    d.api("empty", "Empty token", doorRule) { .refused(try await $0.ask(["Bearer "])) },
    d.api("scheme-only", "Scheme without a token", doorRule) { .refused(try await $0.ask(["Bearer"])) },
    method("head", "HEAD"), method("options", "OPTIONS"), method("post", "POST"), method("put", "PUT"),
    method("trace", "TRACE"), method("unknown", "CONFORM"),
    d.closed("override", "No token, with X-HTTP-Method-Override", doorRule) {
      $0.headers["X-HTTP-Method-Override"] = "GET"
      $0.method = "POST"
    },
    header("original-url", "X-Original-URL", "/health"), header("rewrite-url", "X-Rewrite-URL", "/"),
    header("forwarded-user", "X-Forwarded-User", "alice"), header("remote-user", "X-Remote-User", "alice"),
    header("forwarded-for", "X-Forwarded-For", "127.0.0.1"),
    header("client-principal", "X-MS-CLIENT-PRINCIPAL-NAME", "alice"),
    path("slash", "a slash behind the path") { $0 + "/" }, path("double-slash", "two slashes in the path") { "/" + $0 },
    path("case", "the path in capitals") { $0.uppercased() }, path("dot", "a dot in the path") { "/." + $0 },
    path("parameter", "a path parameter") { $0 + ";conform=1" }, path("ending", "a file ending") { $0 + ".json" },
    path("encoded", "an encoded slash") { $0 + "%2f" },
  ]

  private static func method(_ name: String, _ method: String) -> APICheck {
    // The answer to a preflight request or a probe has no data.
    d.api("method-\(name)", "No token, with the method \(method)", doorRule) { api in
      let answer = try await api.ask([]) { $0.method = method }
      guard answer.isAccepted, !["OPTIONS", "TRACE"].contains(method) || !answer.body.isEmpty else {
        return .refused(answer.asRefused)
      }
      if method == "OPTIONS", answer.headers["Allow"] != nil || answer.headers["Access-Control-Allow-Methods"] != nil {
        return .kept("the API answers \(answer.status), with the methods that it has")
      }
      return .refused(answer)
    }
  }

  private static func header(_ name: String, _ field: String, _ value: String) -> APICheck {
    d.closed("header-\(name)", "No token, with \(field)", doorRule) { $0.headers[field] = value }
  }

  private static func path(_ name: String, _ title: String, _ change: @escaping @Sendable (String) -> String)
    -> APICheck
  {
    d.closed("path-\(name)", "No token, with \(title)", doorRule) { request in
      var address = WebAddress(request.url)
      let path = String(address.path)
      address.base = String(address.base.dropLast(path.count)) + change(path.isEmpty ? "/" : path)
      request.url = address.text
    }
  }

  private static let challengeRule = Rule.must("An answer 401 has WWW-Authenticate.", "RFC 9110, 15.5.2")

  private static let answers: [APICheck] = [
    a.api("none-401", "Status without a token", .must("A request without credentials gets 401.", "RFC 6750, 3.1")) {
      api in
      try await status(api, [], 401)
    },
    a.api("wrong-401", "Status for an unknown token", .should("An invalid token gets 401.", "RFC 6750, 3.1")) { api in
      try await status(api, ["Bearer conform"], 401)
    },
    a.api("expired-401", "Status for an expired token", .should("An expired token gets 401.", "RFC 6750, 3.1")) { api in
      try await status(api, ["Bearer \(try api.token { $0.age(by: 7200) })"], 401)
    },
    a.api("scope-403", "Status for a token without scopes", .should("Insufficient scopes get 403.", "RFC 6750, 3.1")) {
      api in
      let token = try api.token { for name in ["scp", "scope"] { $0.claims[name] = nil } }
      let answer = try await api.ask(bearer: token)
      guard !answer.isAccepted else { return .notUsed("the API needs no scopes") }
      return answer.status == 403 ? .kept("the API answers 403") : .broken("the API answers \(answer.status)")
    },
    a.api("challenge", "WWW-Authenticate without a token", challengeRule) { api in
      let answer = try await api.ask([])
      guard answer.status == 401 else { return .notUsed("the API answers \(answer.status)") }
      return answer.challenges.isEmpty ? .broken("the answer 401 has no WWW-Authenticate") : .kept(answer.challenges[0])
    },
    a.api("challenge-wrong", "WWW-Authenticate for an unknown token", challengeRule) { api in
      let answer = try await api.ask(bearer: "conform")
      guard answer.status == 401 else { return .notUsed("the API answers \(answer.status)") }
      return answer.challenges.isEmpty ? .broken("the answer 401 has no WWW-Authenticate") : .kept(answer.challenges[0])
    },
    challenge(
      "scheme", "Scheme of WWW-Authenticate", .must("The scheme of the challenge is Bearer or DPoP.", "RFC 6750, 3"), []
    ) { text in
      ["bearer", "dpop"].contains { text.lowercased().hasPrefix($0) } ? nil : "WWW-Authenticate is \(text)"
    },
    challenge(
      "no-error", "No error code without a token",
      .should("Without credentials there is no error code.", "RFC 6750, 3.1"), []
    ) {
      text in APIUnderTest.errorCode(text).map { "the error code is \($0)" }
    },
    challenge(
      "invalid-token", "Error code for an unknown token", .should("The error code is invalid_token.", "RFC 6750, 3.1"),
      ["Bearer conform"]
    ) {
      text in
      APIUnderTest.errorCode(text) == "invalid_token" ? nil : "WWW-Authenticate is \(text)"
    },
    challenge(
      "metadata", "resource_metadata in WWW-Authenticate",
      .may("The challenge names the metadata of the resource.", "RFC 9728, 5.1"), []
    ) {
      text in text.contains("resource_metadata=") ? nil : "WWW-Authenticate is \(text)"
    },
    a.api(
      "echo", "Answer does not repeat the token", .should("A token does not get into logs and pages.", "RFC 6750, 5.2")
    ) { api in
      let answer = try await api.ask(bearer: "conform-echo-7f3a91")
      let isThere = (answer.text + answer.challenges.joined()).contains("conform-echo-7f3a91")
      return isThere ? .broken("the answer \(answer.status) repeats the token") : .kept("it does not")
    },
    a.api("trace", "Answer shows no inner workings", .should("An error shows no stack trace.", "OWASP ASVS, 7.4.1")) {
      api in
      for token in ["conform", "..", "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"] {
        let text = try await api.ask(bearer: token).text
        let marks = ["Traceback (most recent", "at System.", "\tat java.", "    at ", "Stack trace:", "jwt.exceptions"]
        if let mark = marks.first(where: text.contains) {
          return .broken("the answer has '\(mark.trimmingPrefix(while: \.isWhitespace))'")
        }
      }
      return .kept("three wrong tokens show none")
    },
    steady("malformed", "Malformed tokens are no server error", ["conform", "..", "a.b.c", "eyJ.eyJ.x", "%00", "{}"]),
    steady("long", "A token of 16 KiB is no server error", [String(repeating: "x", count: 16_384)]),
    steady("header", "A header that is a list is no server error", ["W10.W10.AAAA", "bnVsbA.bnVsbA.AAAA"]),
    a.api(
      "cache", "Answers are not kept by shared caches",
      .should("An answer with a user's data is not stored by shared caches.", "RFC 6750, 5.3")
    ) { api in
      let answer = try await api.ask(bearer: try api.token())
      let control = answer.headers["Cache-Control"]?.lowercased() ?? ""
      return control.contains("public")
        ? .broken("Cache-Control is \(control)") : .kept(control.isEmpty ? "no Cache-Control" : control)
    },
    a.api(
      "cors", "Other sites may not use the user's cookies",
      .must("An answer for all origins allows no credentials.", "Fetch, 3.3.5")
    ) { api in
      let answer = try await api.ask(bearer: try api.token()) { $0.headers["Origin"] = "https://attacker.example" }
      let origin = answer.headers["Access-Control-Allow-Origin"]
      let allows = answer.headers["Access-Control-Allow-Credentials"]?.lowercased() == "true"
      return allows && origin == "https://attacker.example"
        ? .broken("any origin may send requests with cookies")
        : .kept(origin.map { "Access-Control-Allow-Origin: \($0)" } ?? "no CORS header")
    },
  ]

  private static func status(_ api: APIUnderTest, _ authorization: [String], _ expected: Int) async throws -> Finding {
    let answer = try await api.ask(authorization)
    return answer.status == expected
      ? .kept("the API answers \(expected)") : .broken("the API answers \(answer.status)")
  }

  private static func challenge(
    _ name: String, _ title: String, _ rule: Rule, _ authorization: [String],
    _ problem: @escaping @Sendable (String) -> String?
  ) -> APICheck {
    a.api("challenge-\(name)", title, rule) { api in
      guard let text = try await api.ask(authorization).challenges.first else {
        return .notUsed("there is no WWW-Authenticate")
      }
      return problem(text).map { .broken($0) } ?? .kept(text)
    }
  }

  private static func steady(_ name: String, _ title: String, _ tokens: [String]) -> APICheck {
    a.api("steady-\(name)", title, .should("A wrong request gets a 4xx status.", "RFC 9110, 15.5")) { api in
      for token in tokens {
        let answer = try await api.ask(bearer: token)
        if answer.status >= 500 { return .broken("the API answers \(answer.status)") }
      }
      return .kept("the API answers with a 4xx status")
    }
  }
}

extension APIUnderTest.Answer {
  /// The same answer as one that gave nothing away.
  fileprivate var asRefused: APIUnderTest.Answer {
    isAccepted ? APIUnderTest.Answer(status: 405, headers: headers, body: []) : self
  }
}
