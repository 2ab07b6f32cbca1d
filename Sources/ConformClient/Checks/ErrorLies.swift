import Conform
import Core
import HTTPServer
import HostLoop
import JSON

/// Errors and failures of the tenant: the program ends the sign-in, and asks neither too often nor elsewhere.
enum ErrorLies {
  static let all: [ClientCheck] = tokenErrors + patience + places + userinfoLies + refreshLies + deviceLies

  private static let t = Topic.clientErrors
  private static let u = Topic.clientUserinfo
  private static let r = Topic.clientRefresh
  private static let d = Topic.clientDevice

  private static let tokenErrors: [ClientCheck] =
    [
      (400, "invalid_grant"), (401, "invalid_client"), (400, "unauthorized_client"), (400, "unsupported_grant_type"),
      (400, "invalid_scope"), (400, "interaction_required"), (400, "an_error_of_tomorrow"), (403, "access_denied"),
      (500, "server_error"),
    ].map { status, error in
      t.lie(
        "token-\(error.replacing("_", with: "-"))", "Token endpoint answers \(status) \(error)",
        .must("An error response ends the request.", "RFC 6749, 5.2"),
        .error(.token, status, ["error": .string(error), "error_description": "conform"]))
    } + [
      t.lie(
        "token-page", "Token endpoint answers 502 with a web page",
        .must("An error status is an error.", "RFC 9110, 15.6"),
        .response(.token) { response, _ in
          response = ServerResponse(status: 502, text: "<h1>Bad Gateway</h1>", type: "text/html")
        }),
      t.lie(
        "token-tokens-400", "Token endpoint answers 400 with tokens",
        .should("Success has status 200.", "RFC 6749, 5.1"),
        .response(.token) { response, _ in response.status = 400 }),
      t.lie(
        "token-broken", "Token response that breaks off",
        .must("A message that breaks off is incomplete.", "RFC 9112, 8"),
        .response(.token) { response, _ in response.drop = .midResponse }),
      t.lie(
        "token-lost", "Token endpoint closes the connection",
        .must("A message that breaks off is incomplete.", "RFC 9112, 8"),
        .response(.token) { response, _ in response.drop = .beforeResponse }),
    ]

  private static let patience: [ClientCheck] = [
    flood(
      "retry-after", "Token endpoint is busy: 503 with Retry-After",
      .should("A client waits as long as Retry-After says.", "RFC 9110, 10.2.3"), 503, [("Retry-After", "30")]),
    flood(
      "too-many", "Token endpoint answers 429 with Retry-After",
      .should("A client waits as long as Retry-After says.", "RFC 6585, 4"), 429, [("Retry-After", "30")]),
    t.behavior(
      "code-again", "Sends no code again after invalid_grant",
      .must("A client does not use a code more than once.", "RFC 6749, 4.1.2"),
      .error(.token, 400, ["error": "invalid_grant"])
    ) { run, _ in
      let codes = run.redemptions.compactMap { $0.field("code") }
      guard !codes.isEmpty else { return .notUsed("the program redeems no code") }
      return Set(codes).count == codes.count
        ? .kept("it sent each code once") : .broken("it sent a refused code \(codes.count) times")
    },
  ]

  /// Two requests are allowed: the first one, and a repetition by a library.
  private static func flood(
    _ name: String, _ title: String, _ rule: Rule, _ status: Int, _ headers: [(String, String)]
  ) -> ClientCheck {
    t.behavior(
      name, title, rule, .error(.token, status, ["error": "temporarily_unavailable"], headers: headers)
    ) { run, _ in
      let requests = run.exchanges(at: .token)
      guard let first = requests.first else { return .notUsed("the program sends no request to the token endpoint") }
      let early = requests.dropFirst().filter { $0.time - first.time < 25 }
      return early.isEmpty
        ? .kept("it sent one request") : .broken("it sent \(requests.count) requests within \(Int(run.duration) + 1) s")
    }
  }

  private static let places: [ClientCheck] = [
    t.behavior(
      "token-redirect", "Token endpoint redirects to another host",
      .should("A code and credentials go to the token endpoint of the metadata only.", "RFC 9700, 4.4"),
      .response(.token) { response, place in
        guard place.request.header("Host")?.hasPrefix("localhost") != true else { throw NoLie() }
        response = ServerResponse(
          status: 307, headers: [("Location", place.otherOrigin + place.request.target)], body: [])
      }
    ) { run, _ in
      guard run.hasLie else { return .notUsed("the program sends no request to the token endpoint") }
      if let sent = run.afterLie.first(where: { $0.isAtOtherHost && !$0.request.form.isEmpty }) {
        return .broken("it sent the form on to the other host: \(sent.line)")
      }
      return .kept("it sent nothing to the other host: \(run.resultText)")
    },
    t.behavior(
      "api-redirect", "API redirects to another host",
      .must("An access token goes to its resource server only.", "RFC 6750, 5.3"),
      elsewhere(.api).and(elsewhere(.userinfo))
    ) { run, _ in
      guard run.hasLie else { return .notUsed("the program sends no access token to the tenant") }
      if let sent = run.afterLie.first(where: { $0.isAtOtherHost && $0.request.header("Authorization") != nil }) {
        return .broken("it sent the token on to the other host: \(sent.line)")
      }
      return .kept("it sent no token to the other host: \(run.resultText)")
    },
  ]

  private static func elsewhere(_ part: TenantPart) -> Lie {
    .response(part) { response, place in
      guard place.request.header("Host")?.hasPrefix("localhost") != true else { throw NoLie() }
      response = ServerResponse(status: 302, headers: [("Location", place.otherOrigin + place.request.target)])
    }
  }

  private static let userinfoLies: [ClientCheck] = [
    u.lie(
      "sub-other", "Userinfo of another user",
      .must("sub is that of the ID token; else the response is not used.", "OpenID Connect Core 1.0, 5.3.2"),
      peers: ["oidf:oidcc-client-test-userinfo-invalid-sub"],
      .userinfo { members, _ in members["sub"] = "another-user" }),
    u.lie(
      "sub-missing", "Userinfo without sub", .must("A userinfo response has sub.", "OpenID Connect Core 1.0, 5.3.2"),
      .userinfo { members, _ in members["sub"] = nil }),
    u.lie(
      "sub-empty", "Userinfo with an empty sub",
      .must("sub is that of the ID token.", "OpenID Connect Core 1.0, 5.3.2"),
      .userinfo { members, _ in members["sub"] = "" }),
    u.lie(
      "sub-case", "Userinfo with sub in other letter case",
      .must("sub matches exactly.", "OpenID Connect Core 1.0, 5.3.2"),
      .userinfo { members, _ in
        let sub = members["sub"]?.string ?? ""
        guard sub.uppercased() != sub else { throw NoLie() }
        members["sub"] = .string(sub.uppercased())
      }),
    u.truth(
      "extra", "Userinfo with unknown claims",
      .must("Claims that are not understood are ignored.", "OpenID Connect Core 1.0, 5.3.2"),
      .userinfo { members, _ in members["conform"] = ["a": [1, nil]] }),
    u.truth(
      "less", "Userinfo with sub alone", .must("A provider may leave claims out.", "OpenID Connect Core 1.0, 5.3.2"),
      .userinfo { members, _ in members = members.filter { $0.key == "sub" } }),
    u.truth(
      "type", "Userinfo with its type in capitals", .must("Media types have no letter case.", "RFC 9110, 8.3.1"),
      .response(.userinfo) { response, _ in response.replaceType("Application/JSON") }),
  ]

  private static let refreshLies: [ClientCheck] = [
    r.truth(
      "same", "Refresh without a new refresh token", .must("A provider may keep the refresh token.", "RFC 6749, 6"),
      .grant("refresh_token") { members, _ in members["refresh_token"] = nil }),
    r.truth(
      "no-id-token", "Refresh without an ID token",
      .must("A refresh may have no ID token.", "OpenID Connect Core 1.0, 12.2"),
      in: .openID,
      .grant("refresh_token") { members, _ in members["id_token"] = nil }),
    refreshed("sub", "Refresh with an ID token of another user") { $0.claims["sub"] = "another-user" },
    refreshed("iss", "Refresh with an ID token of another issuer") { $0.claims["iss"] = "https://attacker.example" },
    refreshed("aud", "Refresh with an ID token for another client") { $0.claims["aud"] = "another-client" },
    r.behavior(
      "refused", "Sends a refused refresh token no second time",
      .should("A refused grant is not sent again.", "RFC 6749, 5.2"),
      .response(.token) { response, place in
        guard place.request.form.contains(where: { $0 == ("grant_type", "refresh_token") }) else { throw NoLie() }
        response = ServerResponse(status: 400, text: #"{"error":"invalid_grant"}"#, type: "application/json")
      }
    ) { run, _ in
      let tokens = run.exchanges(at: .token).compactMap { $0.field("refresh_token") }
      guard !tokens.isEmpty else { return .notUsed("the program refreshes no tokens") }
      return Set(tokens).count == tokens.count
        ? .kept("it sent it once") : .broken("it sent a refused refresh token \(tokens.count) times")
    },
  ]

  private static func refreshed(
    _ name: String, _ title: String, _ edit: @escaping @Sendable (inout TokenDraft) -> Void
  ) -> ClientCheck {
    r.lie(
      name, title,
      .must("iss, sub and aud of a refreshed ID token are the original ones.", "OpenID Connect Core 1.0, 12.2"),
      in: .openID,
      isAboutIDToken: true,
      .grant("refresh_token") { members, place in
        guard let text = members["id_token"]?.string else { throw NoLie() }
        var draft = try TokenDraft(text)
        edit(&draft)
        members["id_token"] = .string(try draft.signed(place.keys))
      })
  }

  private static let deviceLies: [ClientCheck] = [
    d.habit(
      "interval", "Waits interval seconds between two requests",
      .must("A client waits interval seconds between two requests for tokens.", "RFC 8628, 3.5")
    ) { runs in
      for run in runs {
        let times = run.exchanges(at: .token).filter { $0.grantType?.hasSuffix("device_code") == true }.map(\.time)
        if let gap = zip(times, times.dropFirst()).map({ $1 - $0 }).min(), gap < 4.5 {
          return .broken("two requests for tokens are \((gap * 10).rounded() / 10) s apart, and interval is 5")
        }
      }
      return runs.contains { !$0.exchanges(at: .device).isEmpty }
        ? .kept("it waits") : .notUsed("the program uses no device flow")
    },
    d.truth(
      "extra", "Device response with unknown members", .must("Unknown members are ignored.", "RFC 8628, 3.2"),
      .json(.device) { members, _ in members["conform"] = [1] }),
    d.truth(
      "no-complete", "Device response without verification_uri_complete",
      .must("This member is optional.", "RFC 8628, 3.2"),
      .json(.device) { members, _ in members["verification_uri_complete"] = nil }),
    d.truth(
      "no-interval", "Device response without interval", .must("Without interval it is 5 seconds.", "RFC 8628, 3.2"),
      .json(.device) { members, _ in members["interval"] = nil }),
    d.lie(
      "denied", "Device flow that the user refuses", .must("access_denied ends the flow.", "RFC 8628, 3.5"),
      .response(.token) { response, place in
        guard place.request.form.contains(where: { $0.0 == "device_code" }) else { throw NoLie() }
        response = ServerResponse(status: 400, text: #"{"error":"access_denied"}"#, type: "application/json")
      }),
    d.lie(
      "expired", "Device code that has expired", .must("expired_token ends the flow.", "RFC 8628, 3.5"),
      .response(.token) { response, place in
        guard place.request.form.contains(where: { $0.0 == "device_code" }) else { throw NoLie() }
        response = ServerResponse(status: 400, text: #"{"error":"expired_token"}"#, type: "application/json")
      }),
    d.lie(
      "error", "Device authorization endpoint answers with an error", .must("An error ends the flow.", "RFC 8628, 3.2"),
      .error(.device, 400, ["error": "invalid_client"])),
  ]
}
