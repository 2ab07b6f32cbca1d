import Conform
import Core
import Crypto
import HTTPServer
import JOSE
import JSON

/// The requests to the token endpoint and to the API in two right sign-ins.
extension ClientCheck {
  static let tokenHabits: [ClientCheck] = redemptionHabits + authenticationHabits + assertionHabits
  static let tokenUse: [ClientCheck] = apiHabits

  private static let t = Topic.clientToken
  private static let a = Topic.clientAPI

  private static let redemptionHabits: [ClientCheck] = [
    t.habit("post", "Uses POST", .must("A client uses POST at the token endpoint.", "RFC 6749, 3.2")) { runs in
      tokens(runs) { $0.request.method == "POST" ? nil : "the method is \($0.request.method)" }
    },
    t.habit(
      "form", "Sends a form",
      .must("The parameters are in the body as application/x-www-form-urlencoded.", "RFC 6749, 4.1.3")
    ) { runs in
      tokens(runs) {
        $0.request.mediaType == "application/x-www-form-urlencoded"
          ? nil : "the content type is \($0.request.mediaType ?? "missing")"
      }
    },
    t.habit(
      "no-query", "Has no parameters in the address",
      .must("Parameters of the token endpoint are not in the request URI.", "RFC 6749, 2.3.1")
    ) { runs in
      tokens(runs) { request in
        request.request.query.first { $0.0 != "p" }.map { "the address has the parameter \($0.0)" }
      }
    },
    t.habit("twice", "Sends no parameter twice", .must("A parameter is not sent more than once.", "RFC 6749, 3.2")) {
      runs in
      tokens(runs) { repeated($0.request.form.filter { $0.0 != "resource" }).map { "the form has \($0) twice" } }
    },
    t.habit(
      "redirect", "Repeats the redirect URI of the request",
      .must("redirect_uri is the same as in the authorization request.", "RFC 6749, 4.1.3")
    ) { runs in
      for run in runs {
        guard let request = run.authorizationRequests.last, let redemption = run.redemptions.first else { continue }
        guard request.field("redirect_uri") == redemption.field("redirect_uri") else {
          return .broken("redirect_uri is \(request.shown("redirect_uri")), then \(redemption.shown("redirect_uri"))")
        }
      }
      return redeemed(runs) { _ in nil }
    },
    t.habit(
      "verifier", "Sends the code_verifier", .must("The client proves that it sent the challenge.", "RFC 7636, 4.5")
    ) {
      runs in
      guard runs.contains(where: { $0.authorizationRequests.contains { $0.field("code_challenge") != nil } }) else {
        return .notUsed("no authorization request has code_challenge")
      }
      return redeemed(runs) { $0.field("code_verifier") == nil ? "the form has no code_verifier" : nil }
    },
    t.habit(
      "verifier-form", "The verifier has 43 to 128 allowed characters",
      .must("A verifier has 43 to 128 unreserved characters.", "RFC 7636, 4.1")
    ) { runs in
      redeemed(runs, having: "code_verifier") {
        let value = $0.field("code_verifier") ?? ""
        return (43...128).contains(value.utf8.count) && URLEncodedForm.percentEncode(value) == value
          ? nil : "code_verifier has \(value.utf8.count) characters"
      }
    },
    t.habit(
      "verifier-new", "The verifier is new for each sign-in",
      .must("The client makes a new verifier for each authorization request.", "RFC 7636, 4.1")
    ) { runs in
      let values = runs.compactMap { $0.redemptions.first?.field("code_verifier") }
      guard values.count == 2 else { return .notUsed("the program sends no code_verifier") }
      return values[0] != values[1]
        ? .kept("it differs in two sign-ins") : .broken("code_verifier is the same in two sign-ins")
    },
    t.habit(
      "verifier-random", "The verifier is random",
      .must("A verifier has enough entropy: 256 bits are recommended.", "RFC 7636, 7.1")
    ) { runs in
      redeemed(runs, having: "code_verifier") {
        let kinds = Set($0.field("code_verifier") ?? "").count
        return kinds < 10 ? "code_verifier has \(kinds) different characters" : nil
      }
    },
    t.habit("once", "Redeems a code once", .must("A client does not use a code more than once.", "RFC 6749, 4.1.2")) {
      runs in
      for run in runs {
        let codes = run.redemptions.compactMap { $0.field("code") }
        if Set(codes).count < codes.count { return .broken("one code was sent \(codes.count) times") }
      }
      return redeemed(runs) { _ in nil }
    },
    t.habit(
      "scope", "Sends no scope with a code", .may("The scope of a code is that of its request.", "RFC 6749, 4.1.3")
    ) {
      runs in redeemed(runs) { $0.field("scope") == nil ? nil : "the form has scope" }
    },
  ]

  private static let authenticationHabits: [ClientCheck] = [
    t.habit(
      "client", "Says which client it is",
      .must("A client without authentication sends its client_id.", "RFC 6749, 3.2.1")
    ) { runs in
      tokens(runs) {
        $0.field("client_id") == nil && $0.basicCredentials == nil && $0.field("client_assertion") == nil
          ? "the request names no client" : nil
      }
    },
    t.habit(
      "one-method", "Authenticates in one way",
      .must("A client uses one way of authentication in a request.", "RFC 6749, 2.3")
    ) { runs in
      tokens(runs) { request in
        let ways = [request.basicCredentials, request.field("client_secret"), request.field("client_assertion")]
        return ways.count { $0?.isEmpty == false } > 1 ? "the request has more than one" : nil
      }
    },
    t.habit(
      "secret-header", "Sends its secret in the header",
      .should("The secret in the form is not recommended; a client uses HTTP Basic.", "RFC 6749, 2.3.1")
    ) { runs in
      let confidential = runs.flatMap { $0.exchanges(at: .token) }.filter {
        $0.field("client_secret")?.isEmpty == false || $0.basicCredentials != nil
      }
      return all(confidential, without: "the program sends no secret") {
        $0.basicCredentials == nil ? "the secret is in the form" : nil
      }
    },
    t.habit(
      "same-client", "Names the same client as before",
      .must("The code was issued to the client that redeems it.", "RFC 6749, 4.1.3")
    ) { runs in
      for run in runs {
        guard let asked = run.authorizationRequests.last?.field("client_id"),
          let redeemed = run.redemptions.first.map({
            $0.field("client_id") ?? $0.basicCredentials?.split(separator: ":").first.map(String.init)
          })
        else { continue }
        if let redeemed, redeemed.lowercased() != asked.lowercased() {
          return .broken("client_id is '\(asked)', then '\(redeemed)'")
        }
      }
      return redeemed(runs) { _ in nil }
    },
  ]

  private static let assertionHabits: [ClientCheck] = [
    assertion("assertion-issuer", "iss and sub of the assertion are the client", "RFC 7523, 3") { claims in
      claims["iss"]?.string != nil && claims["iss"] == claims["sub"] ? nil : "iss and sub differ, or are missing"
    },
    assertion("assertion-audience", "The assertion has an audience", "RFC 7523, 3") {
      $0["aud"] == nil ? "aud is missing" : nil
    },
    assertion("assertion-expiry", "The assertion expires soon", "RFC 7523, 3") { claims in
      guard let end = claims["exp"]?.lenientInteger else { return "exp is missing" }
      let start = claims["iat"]?.lenientInteger ?? Int64(UnixTime.now.seconds)
      return end - start > 3600 ? "exp is \(end - start) seconds after iat" : nil
    },
    assertion("assertion-id", "The assertion has a jti", "OpenID Connect Core 1.0, 9") {
      $0["jti"] == nil ? "jti is missing" : nil
    },
  ]

  private static func assertion(
    _ name: String, _ title: String, _ source: String, _ problem: @escaping @Sendable (JSON) -> String?
  ) -> ClientCheck {
    t.habit(name, title, .must("\(title).", source)) { runs in
      let requests = runs.flatMap { $0.exchanges(at: .token) }.filter { $0.field("client_assertion") != nil }
      return all(requests, without: "the program sends no client assertion") { request in
        guard let token = try? JWT(decoding: request.field("client_assertion") ?? "") else { return "it is no JWT" }
        return problem(token.claims)
      }
    }
  }

  private static let apiHabits: [ClientCheck] = [
    a.habit(
      "no-query", "Sends no access token in an address",
      .must("A client does not pass access tokens in a URI query parameter.", "RFC 9700, 4.3.2")
    ) { runs in
      uses(runs) { $0.request.query.contains { $0.0 == "access_token" } ? "the address has access_token" : nil }
    },
    a.habit(
      "header", "Sends the access token in the header",
      .should("A client uses the Authorization header for a bearer token.", "RFC 6750, 2"),
      peers: ["oidf:oidcc-client-test-userinfo-bearer-header"]
    ) { runs in
      uses(runs) {
        $0.request.form.contains { $0.0 == "access_token" } ? "the form has access_token" : nil
      }
    },
    a.habit(
      "one-way", "Sends the access token in one way",
      .must("A client does not use more than one way to send a token.", "RFC 6750, 2")
    ) { runs in
      uses(runs) { request in
        let other = request.fields.contains { $0.0 == "access_token" }
        return other && request.request.header("Authorization") != nil ? "the request has the token twice" : nil
      }
    },
    a.habit(
      "no-id-token", "Sends no ID token to an API",
      .must("An ID token is for the client, not for an API.", "OpenID Connect Core 1.0, 2"), in: .openID
    ) { runs in
      foreign(runs, "id_token")
    },
    a.habit(
      "no-refresh-token", "Sends no refresh token to an API",
      .must("A refresh token is for the authorization server only.", "RFC 6749, 1.5")
    ) { foreign($0, "refresh_token") },
  ]

  /// Broken if a token of a token response was sent to the API or to the userinfo endpoint.
  private static func foreign(_ runs: [ClientRun], _ name: String) -> Finding {
    let tokens = Set(runs.flatMap(\.exchanges).compactMap { $0.json?[name]?.string })
    return uses(runs) { request in
      let sent = request.request.header("Authorization")?.split(separator: " ").last.map(String.init) ?? ""
      return tokens.contains(sent) || request.fields.contains { tokens.contains($0.1) }
        ? "the request has the \(name)" : nil
    }
  }

  private static func tokens(_ runs: [ClientRun], _ problem: (Exchange) -> String?) -> Finding {
    all(
      runs.flatMap { $0.exchanges(at: .token) }, without: "the program sends no request to the token endpoint", problem)
  }

  private static func redeemed(
    _ runs: [ClientRun], having name: String? = nil, _ problem: (Exchange) -> String?
  ) -> Finding {
    let all = runs.flatMap(\.redemptions).filter { redemption in name.map { redemption.field($0) != nil } ?? true }
    return Self.all(all, without: "the program redeems no code\(name.map { " with \($0)" } ?? "")", problem)
  }

  private static func uses(_ runs: [ClientRun], _ problem: (Exchange) -> String?) -> Finding {
    let requests = runs.flatMap { $0.exchanges(at: .api) + $0.exchanges(at: .userinfo) }
    return all(requests, without: "the program sends no access token to the tenant", problem)
  }
}

extension Exchange {
  /// ID and secret of HTTP Basic; nil without them.
  var basicCredentials: String? {
    guard let header = request.header("Authorization"), header.lowercased().hasPrefix("basic ") else { return nil }
    let text = header.dropFirst(6).filter { $0 != "=" }.replacing("+", with: "-").replacing("/", with: "_")
    return Base64URL.decode(text).map { String(decoding: $0, as: UTF8.self) }
  }
}
