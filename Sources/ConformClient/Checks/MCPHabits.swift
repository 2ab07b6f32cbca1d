import Conform
import Core
import HTTPServer
import JSON

/// The sign-ins and the requests of an MCP client.
enum MCPHabits {
  static let all: [ClientCheck] = resources + scopes + stepUps + tokens

  private static let t = Topic.clientMCPRequest
  private static let resourceRule = Rule.must(
    "resource is the address of the MCP server, also where the authorization server ignores it.",
    "MCP 2026-07-28, authorization: resource parameter")
  private static let selection = "MCP 2026-07-28, authorization: scope selection"
  private static let step = "MCP 2026-07-28, authorization: scope challenge handling"

  // MARK: The parameter resource

  private static let resources = [
    t.habit("resource-authorize", "Sends resource in the authorization request", resourceRule) { runs in
      resource(runs.flatMap(\.authorizationRequests))
    },
    t.habit("resource-token", "Sends resource in the token request", resourceRule) { runs in
      resource(runs.flatMap(\.redemptions))
    },
    t.habit(
      "registration", "Registers as what it is",
      .must("application_type is native or web.", "MCP 2026-07-28, authorization: dynamic client registration")
    ) { runs in
      let sent = runs.flatMap { $0.exchanges(at: .register) }
      guard !sent.isEmpty else { return .notUsed("the program registers no client") }
      let types = sent.map { (try? JSON(parsing: $0.request.body))?["application_type"]?.string }
      guard let wrong = types.first(where: { !["native", "web"].contains($0) }) else {
        return .kept("application_type is there")
      }
      return .broken("application_type is \(wrong ?? "missing")")
    },
  ]

  private static func resource(_ requests: [Exchange]) -> Finding {
    guard !requests.isEmpty else { return .notUsed("there is no such request") }
    for request in requests {
      let host = request.request.header("Host") ?? ""
      let value = request.field("resource")
      guard value == "http://\(host)/mcp" || value == "https://\(host)/mcp" else {
        return .broken("resource is \(value ?? "missing"): \(request.line)")
      }
    }
    return .kept("resource names the MCP server")
  }

  // MARK: Scopes

  private static let scopes = [
    t.habit(
      "scope-challenge", "Asks for the scopes of the challenge",
      .must("The scopes of the challenge are authoritative.", selection),
      peers: ["mcp:auth/scope-from-www-authenticate"]
    ) { runs in
      asks(runs[0], ["https://contoso.onmicrosoft.com/tasks/read"])
    },
    t.behavior(
      "scope-supported", "Asks for scopes_supported without a scope in the challenge",
      .should("Without scope in the challenge, the client asks for scopes_supported.", selection),
      peers: ["mcp:auth/scope-from-scopes-supported"], withoutScope
    ) { run, _ in
      asks(run, ["https://contoso.onmicrosoft.com/tasks/read", "https://contoso.onmicrosoft.com/tasks/write"])
    },
    t.behavior(
      "scope-undefined", "Sends no scope where nothing names one",
      .should("Without any scope the parameter is left out.", selection),
      peers: ["mcp:auth/scope-omitted-when-undefined"],
      withoutScope.and(.resource { $0["scopes_supported"] = nil })
    ) { run, _ in
      guard let request = run.authorizationRequests.first else {
        return .notUsed("the program sends no authorization request")
      }
      return request.field("scope") == nil
        ? .kept("there is no scope") : .broken("scope is \(request.field("scope") ?? "")")
    },
    t.behavior(
      "offline-access", "Asks for offline_access only where it is offered",
      .must(
        "offline_access is added only if the authorization server lists it.",
        "MCP 2026-07-28, authorization: refresh tokens"),
      peers: ["mcp:auth/offline-access-not-supported"],
      .metadata { members, _ in
        members["scopes_supported"] = .array(
          (members["scopes_supported"]?.array ?? []).filter { $0 != "offline_access" })
      }
    ) { run, _ in
      guard let request = run.authorizationRequests.first else {
        return .notUsed("the program sends no authorization request")
      }
      return words(request).contains("offline_access")
        ? .broken("it asks for offline_access") : .kept("it does not ask for it")
    },
  ]

  private static let withoutScope = Lie.challenge { text, _ in text.replacing(#/,? ?\bscope="[^"]*"/#, with: "") }

  private static func words(_ request: Exchange) -> Set<String> {
    Set((request.field("scope") ?? "").split(separator: " ").map(String.init))
  }

  private static func asks(_ run: ClientRun, _ expected: Set<String>) -> Finding {
    guard let request = run.authorizationRequests.first else {
      return .notUsed("the program sends no authorization request")
    }
    let asked = words(request).subtracting(["offline_access", "openid"])
    return asked == expected ? .kept("it asks for them") : .broken("scope is \(request.field("scope") ?? "missing")")
  }

  // MARK: Demands of the server

  private static let more = "https://contoso.onmicrosoft.com/tasks/write"
  /// The most sign-ins of one run that count as a bound.
  private static let most = 8

  /// Refuses requests with a token.
  private static func refusal(_ status: Int, _ challenge: String) -> Lie {
    .response(.mcp) { response, place in
      guard place.request.header("Authorization") != nil else { throw NoLie() }
      let metadata = "resource_metadata=\"\(place.origin)/.well-known/oauth-protected-resource/mcp\""
      response = ServerResponse(status: status, headers: [("WWW-Authenticate", "Bearer \(challenge), \(metadata)")])
    }
  }

  private static let insufficient = refusal(403, "error=\"insufficient_scope\", scope=\"\(more)\"")

  private static let stepUps = [
    t.behavior(
      "step-up", "Asks for more scopes, and keeps those that it has",
      .should("The client asks for the scopes of before and those of the challenge.", step),
      peers: ["mcp:auth/scope-step-up"],
      insufficient.once
    ) { run, _ in
      guard run.hasLie else { return .notUsed("the program sends no request with a token to the server") }
      let before = run.authorizationRequests.first.map(words) ?? []
      guard let next = run.afterLie.first(where: { $0.field("response_type") != nil }) else {
        return .broken("it does not sign in again: \(run.resultText)")
      }
      let missing = before.union([more]).subtracting(words(next))
      return missing.isEmpty
        ? .kept("it asks for all of them") : .broken("it asks without \(missing.sorted().joined(separator: ", "))")
    },
    bounded("step-up-bound", "Gives up if the scopes never suffice", insufficient, ["mcp:auth/scope-retry-limit"]),
    bounded("refused-bound", "Gives up if no token is taken", refusal(401, "error=\"invalid_token\"")),
  ]

  private static func bounded(_ name: String, _ title: String, _ lie: Lie, _ peers: [String] = []) -> ClientCheck {
    t.behavior(name, title, .must("The client tries a few times, and then gives up.", step), peers: peers, lie) {
      run, _ in
      guard run.hasLie else { return .notUsed("the program sends no request with a token to the server") }
      let count = run.authorizationRequests.count
      if count > most { return .broken("it signed in \(count) times") }
      if case .timeout = run.ending { return .broken("it did not end, after \(count) sign-ins") }
      return .kept("it gave up after \(count) sign-ins")
    }
  }

  // MARK: Tokens

  private static let own = Rule.must(
    "Credentials and tokens are for the issuer and the server that they come from.",
    "MCP 2026-07-28, authorization: authorization server binding")

  private static let tokens = [
    t.habit(
      "token-header", "Sends the token in the header alone",
      .must("Tokens are never in the query.", "MCP 2026-07-28, authorization: token requirements")
    ) { runs in
      let sent = runs.flatMap { $0.exchanges(at: .mcp) }
      if let wrong = sent.first(where: { $0.request.query.contains { $0.0 == "access_token" } }) {
        return .broken("the token is in the query: \(wrong.line)")
      }
      let has = sent.contains { $0.request.header("Authorization")?.lowercased().hasPrefix("bearer ") == true }
      return has ? .kept("it is in the header") : .notUsed("the program sends no request with a token to the server")
    },
    t.habit(
      "each-request", "Sends the token in each request",
      .must("Each request has the token, also within a session.", "MCP 2026-07-28, authorization: token requirements")
    ) { runs in
      for run in runs {
        let sent = run.exchanges(at: .mcp)
        guard let first = sent.firstIndex(where: { $0.request.header("Authorization") != nil }) else { continue }
        if let wrong = sent[first...].first(where: { $0.request.header("Authorization") == nil }) {
          return .broken("a later request has none: \(wrong.line)")
        }
      }
      return .kept("each request has it")
    },
    t.behavior(
      "redirect", "Follows no redirect of the server to another host", own,
      .response(.mcp) { response, place in
        guard place.request.header("Authorization") != nil, place.request.header("Host")?.hasPrefix("localhost") != true
        else {
          throw NoLie()
        }
        response = ServerResponse(status: 307, headers: [("Location", place.otherOrigin + place.request.target)])
      }
    ) { run, _ in
      guard run.hasLie else { return .notUsed("the program sends no request with a token to the server") }
      if let sent = run.afterLie.first(where: { $0.isAtOtherHost && $0.request.header("Authorization") != nil }) {
        return .broken("it sent the token on to the other host: \(sent.line)")
      }
      return .kept("it sent no token to the other host: \(run.resultText)")
    },
    t.behavior(
      "moved", "Takes nothing along to another authorization server", own,
      peers: ["mcp:auth/authorization-server-migration"], moved
    ) { run, _ in
      guard run.hasLie else { return .notUsed("the program sends no request with a token to the server") }
      let old = Set(
        run.exchanges(at: .register).filter { !$0.isAtOtherHost }.compactMap { $0.json?["client_id"]?.string })
      let there = run.afterLie.filter { $0.isAtOtherHost && [.authorize, .par, .token].contains($0.part) }
      if let sent = there.first(where: { $0.grantType == "refresh_token" }) {
        return .broken("it sent its refresh token to the new server: \(sent.line)")
      }
      if let sent = there.first(where: { $0.field("client_id").map(old.contains) == true }) {
        return .broken("it used its registration at the new server: \(sent.line)")
      }
      return .kept(there.isEmpty ? "it did not go there: \(run.resultText)" : "it registered anew there")
    },
  ]

  /// The server moves to another authorization server once it has seen a token, and takes the tokens of that one alone.
  private static let moved = Lie.response(.mcp) { response, place in
    guard place.request.header("Authorization") != nil,
      !place.earlier.contains(where: { $0.part == .token && $0.isAtOtherHost })
    else { throw NoLie() }
    response = ServerResponse(
      status: 401,
      headers: [
        (
          "WWW-Authenticate",
          "Bearer error=\"invalid_token\", resource_metadata=\"\(place.origin)/.well-known/oauth-protected-resource/mcp\""
        )
      ])
  }.and(
    .json(.resource) { members, place in
      guard place.earlier.contains(where: { $0.part == .mcp && $0.isLie }) else { throw NoLie() }
      members["authorization_servers"] = .array(
        (members["authorization_servers"]?.texts ?? []).map {
          .string($0.replacing(place.origin, with: place.otherOrigin))
        })
    })
}
