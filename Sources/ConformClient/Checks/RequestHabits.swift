import Conform
import Core
import HTTPServer

/// The authorization requests of two right sign-ins.
extension ClientCheck {
  static let requestHabits: [ClientCheck] = requestValues + requestForm

  private static let t = Topic.clientRequest

  private static let requestValues: [ClientCheck] = [
    t.habit("pkce", "Sends a code_challenge", .must("A public client uses PKCE.", "RFC 9700, 2.1.1")) { runs in
      requests(runs) {
        $0.codeRequest($0.field("code_challenge") != nil, "the request for a code has no code_challenge")
      }
    },
    t.habit(
      "pkce-s256", "Uses the challenge method S256",
      .must("A client that can use S256 must use it.", "RFC 7636, 4.2")
    ) { runs in
      requests(runs, having: "code_challenge") {
        $0.field("code_challenge_method") == "S256"
          ? nil : "code_challenge_method is \($0.shown("code_challenge_method"))"
      }
    },
    t.habit(
      "pkce-form", "The S256 challenge has 43 characters",
      .must("The challenge is the base64url form of a SHA-256 hash, without padding.", "RFC 7636, 4.2")
    ) { runs in
      requests(runs, having: "code_challenge") {
        guard $0.field("code_challenge_method") == "S256", let value = $0.field("code_challenge") else { return nil }
        return value.utf8.count == 43 && value.allSatisfy(isBase64URL)
          ? nil : "code_challenge has \(value.utf8.count) characters"
      }
    },
    t.habit(
      "pkce-new", "The challenge is new for each request",
      .must("The client makes a new verifier for each authorization request.", "RFC 7636, 4.1")
    ) { isNew("code_challenge", $0) },
    t.habit(
      "csrf", "Is protected against forged answers",
      .must("A client prevents cross-site request forgery: by PKCE, nonce or state.", "RFC 9700, 2.1")
    ) { runs in
      requests(runs) { request in
        ["code_challenge", "state", "nonce"].contains { request.field($0) != nil }
          ? nil : "the request has neither code_challenge, nor state, nor nonce"
      }
    },
    t.habit(
      "state", "Sends state",
      .should("A client sends an opaque state that binds the answer to the user agent.", "RFC 6749, 4.1.1")
    ) { runs in requests(runs) { $0.field("state") == nil ? "the request has no state" : nil } },
    t.habit("state-new", "state is new for each request", .must("An attacker cannot guess state.", "RFC 6749, 10.12")) {
      isNew("state", $0)
    },
    t.habit(
      "state-long", "state is long enough",
      .should("state has a value that cannot be guessed: at least 128 bits.", "RFC 6749, 10.10")
    ) { isLong("state", $0) },
    t.habit(
      "nonce", "Sends nonce",
      .may("A client of the code flow may bind the ID token by nonce.", "OpenID Connect Core 1.0, 3.1.2.1"),
      in: .openID
    ) {
      runs in requests(runs) { $0.asksForOpenID && $0.field("nonce") == nil ? "the request has no nonce" : nil }
    },
    t.habit(
      "nonce-new", "nonce is new for each request",
      .must("nonce is different for each session, and cannot be guessed.", "OpenID Connect Core 1.0, 15.5.2"),
      in: .openID
    ) { isNew("nonce", $0) },
    t.habit(
      "nonce-long", "nonce is long enough", .should("nonce has enough entropy.", "OpenID Connect Core 1.0, 3.1.2.1"),
      in: .openID
    ) { isLong("nonce", $0) },
    t.habit(
      "nonce-front", "Sends nonce for an ID token in the answer",
      .must("nonce is required if the authorization response has an ID token.", "OpenID Connect Core 1.0, 3.2.2.1"),
      in: .openID
    ) { runs in
      let fronts = runs.flatMap(\.authorizationRequests).filter { $0.responseTypes.contains("id_token") }
      return all(fronts, without: "no request asks for an ID token in the answer") {
        $0.field("nonce") == nil ? "response_type has id_token, and there is no nonce" : nil
      }
    },
    t.habit(
      "state-not-nonce", "state and nonce differ",
      .may("One value for both is known to everybody who sees the address.", "OpenID Connect Core 1.0, 15.5.2"),
      in: .openID
    ) { runs in
      requests(runs, having: "nonce") { $0.field("state") == $0.field("nonce") ? "state and nonce are the same" : nil }
    },
  ]

  private static let requestForm: [ClientCheck] = [
    t.habit(
      "no-implicit", "Asks for no access token in the answer",
      .should("A client does not use the implicit grant.", "RFC 9700, 2.1.2")
    ) { runs in
      requests(runs) { $0.responseTypes.contains("token") ? "response_type is \($0.shown("response_type"))" : nil }
    },
    t.habit(
      "no-password", "Does not ask the user for the password",
      .must("The grant type password is not used.", "RFC 9700, 2.4")
    ) { runs in
      let requests = runs.flatMap { $0.exchanges(at: .token) }
      return all(requests, without: "no request to the token endpoint") {
        $0.grantType == "password" ? "a request to the token endpoint has grant_type=password" : nil
      }
    },
    t.habit(
      "no-secret", "Has no client secret in the address",
      .must("Client credentials are not in a request URI.", "RFC 6749, 2.3.1")
    ) { runs in
      requests(runs) { $0.request.query.contains { $0.0 == "client_secret" } ? "the address has client_secret" : nil }
    },
    t.habit(
      "no-verifier", "Keeps the verifier to itself",
      .must("The verifier is sent to the token endpoint only.", "RFC 7636, 4.3")
    ) { runs in requests(runs) { $0.field("code_verifier") == nil ? nil : "the request has code_verifier" } },
    t.habit(
      "redirect", "Names its redirect URI",
      .should("The client names redirect_uri, so that the provider can compare it.", "RFC 9700, 2.1")
    ) { runs in requests(runs) { $0.field("redirect_uri") == nil ? "the request has no redirect_uri" : nil } },
    t.habit(
      "redirect-fragment", "The redirect URI has no fragment",
      .must("A redirect URI is absolute and has no fragment.", "RFC 6749, 3.1.2")
    ) { runs in
      requests(runs, having: "redirect_uri") {
        $0.field("redirect_uri")?.contains("#") == true ? "redirect_uri is \($0.shown("redirect_uri"))" : nil
      }
    },
    t.habit(
      "redirect-loopback", "Uses 127.0.0.1 rather than localhost",
      .should("A loopback redirect URI has the IP address, not the name localhost.", "RFC 8252, 8.3")
    ) { runs in
      requests(runs, having: "redirect_uri") {
        $0.field("redirect_uri")?.contains("://localhost") == true ? "redirect_uri is \($0.shown("redirect_uri"))" : nil
      }
    },
    t.habit("client-id", "Sends its client_id", .must("client_id is required.", "RFC 6749, 4.1.1")) { runs in
      requests(runs) { ($0.field("client_id") ?? "").isEmpty ? "the request has no client_id" : nil }
    },
    t.habit("twice", "Sends no parameter twice", .must("A parameter is not sent more than once.", "RFC 6749, 3.1")) {
      runs in
      requests(runs) { request in
        repeated(request.fields.filter { $0.0 != "resource" }).map { "the request has \($0) twice" }
      }
    },
    t.habit(
      "empty", "Sends no empty parameter",
      .may("A parameter without a value counts as left out.", "RFC 6749, 3.1")
    ) { runs in
      requests(runs) { request in request.fields.first { $0.1.isEmpty }.map { "\($0.0) is empty" } }
    },
    t.habit("scope", "Names its scopes", .may("Without scope the provider decides.", "RFC 6749, 3.3")) { runs in
      requests(runs) { $0.field("scope") == nil ? "the request has no scope" : nil }
    },
    t.habit(
      "scope-openid", "Has the scope openid beside nonce",
      .must("An OpenID Connect request has the scope openid.", "OpenID Connect Core 1.0, 3.1.2.1"), in: .openID
    ) { runs in
      requests(runs, having: "nonce") { $0.asksForOpenID ? nil : "the request has nonce, but not the scope openid" }
    },
    t.habit(
      "prompt", "Combines prompt=none with nothing",
      .must("none is not combined with other values of prompt.", "OpenID Connect Core 1.0, 3.1.2.1"), in: .openID
    ) { runs in
      requests(runs, having: "prompt") {
        let words = ($0.field("prompt") ?? "").split(separator: " ")
        return words.contains("none") && words.count > 1 ? "prompt is \($0.shown("prompt"))" : nil
      }
    },
    t.habit(
      "length", "Keeps the address below 8,000 bytes",
      .may("Long addresses fail at some servers; a pushed request has none.", "RFC 9126, 1")
    ) { runs in
      requests(runs) {
        $0.request.target.utf8.count > 8000 ? "the address has \($0.request.target.utf8.count) bytes" : nil
      }
    },
  ]

  // MARK: Judging

  /// Judges each authorization request: `problem` gives what is wrong with it.
  static func requests(
    _ runs: [ClientRun], having name: String? = nil, _ problem: (Exchange) -> String?
  ) -> Finding {
    let requests = runs.flatMap(\.authorizationRequests)
    guard let name else { return all(requests, without: "the program sends no authorization request", problem) }
    return all(requests.filter { $0.field(name) != nil }, without: "no authorization request has \(name)", problem)
  }

  static func all(_ requests: [Exchange], without nothing: String, _ problem: (Exchange) -> String?) -> Finding {
    guard !requests.isEmpty else { return .notUsed(nothing) }
    for request in requests {
      if let text = problem(request) { return .broken("\(text): \(request.line)") }
    }
    return .kept("seen in \(requests.count == 1 ? "one request" : "\(requests.count) requests")")
  }

  private static func isNew(_ name: String, _ runs: [ClientRun]) -> Finding {
    let values = runs.compactMap { $0.authorizationRequests.first?.field(name) }
    guard values.count == 2 else { return .notUsed("the requests have no \(name)") }
    return values[0] != values[1] ? .kept("it differs in two sign-ins") : .broken("\(name) is the same in two sign-ins")
  }

  /// 128 bits need 22 characters of base64url, or 32 of hexadecimal. Shorter values have less in any case.
  private static func isLong(_ name: String, _ runs: [ClientRun]) -> Finding {
    requests(runs, having: name) {
      let count = $0.field(name)?.utf8.count ?? 0
      return count < 20 ? "\(name) has \(count) characters" : nil
    }
  }

  static func repeated(_ fields: [(String, String)]) -> String? {
    var seen: Set<String> = []
    return fields.first { !seen.insert($0.0).inserted }?.0
  }

  static func isBase64URL(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || character == "-" || character == "_")
  }
}

extension Exchange {
  var responseTypes: [Substring] { (field("response_type") ?? "").split(separator: " ") }
  var asksForOpenID: Bool { (field("scope") ?? "").split(separator: " ").contains("openid") }

  /// A problem of requests for a code; nil for others.
  fileprivate func codeRequest(_ isRight: Bool, _ problem: String) -> String? {
    responseTypes.contains("code") && !isRight ? problem : nil
  }

  /// The value for a message.
  func shown(_ name: String) -> String { field(name).map { "'\($0)'" } ?? "missing" }
}
