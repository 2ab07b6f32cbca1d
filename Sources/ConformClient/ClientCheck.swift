package import Conform
import HTTPServer
import JSON

/// A check of a client program with its probe.
package struct ClientCheck: Sendable {
  /// The right sign-ins, which other runs are compared with.
  struct Rights: Sendable {
    /// Two right sign-ins.
    let runs: [ClientRun]
    /// True if a sign-in that the tenant refuses ends in another way than a right one.
    let tellsRefusal: Bool
    /// True if the program refuses an ID token that is none: it reads ID tokens.
    let readsIDTokens: Bool

    func uses(_ part: TenantPart) -> Bool { runs.contains { !$0.exchanges(at: part).isEmpty } }
  }

  enum Probe: Sendable {
    /// A lie that the program must refuse. `proof` is the request that shows that it took the lie; nil for none.
    case lie(Lie, proof: @Sendable (ClientRun) -> Exchange?)
    /// A truth that the program must cope with.
    case truth(Lie)
    /// A rule that two right sign-ins show.
    case habit(@Sendable ([ClientRun]) -> Finding)
    /// A run with a lie, and what to look at in it.
    case behavior(Lie, @Sendable (ClientRun, Rights) -> Finding)
  }

  package let check: Check
  let probe: Probe
  /// True if the lie is in an ID token, which some programs do not read.
  var isAboutIDToken = false
  /// The part of the tenant that the program must use for the check to make sense; nil for none.
  var needs: TenantPart?

  /// The lie of the run; nil for a check without a run.
  var lie: Lie? {
    switch probe {
    case .lie(let lie, _), .truth(let lie), .behavior(let lie, _): lie
    case .habit: nil
    }
  }

  /// The finding that needs no run; nil if the program has to be started.
  func findingWithoutRun(_ rights: Rights) -> Finding? {
    if case .habit(let judge) = probe { return judge(rights.runs) }
    if let needs, !rights.uses(needs) { return .notUsed("the program does not use \(needs.name)") }
    if isAboutIDToken {
      let tokens = rights.runs.contains { $0.exchanges.contains { $0.json?["id_token"] != nil } }
      guard tokens || rights.runs.contains(where: \.hasIDTokenInAnswer) else {
        return .notUsed("the program gets no ID token: its requests have no scope openid")
      }
      guard rights.readsIDTokens else {
        return .notUsed("the program does not read ID tokens: it accepts an ID token that is not a JWT")
      }
    }
    guard let lie, !lie.edits.isEmpty, !lie.edits.contains(where: { rights.uses($0.part) }) else { return nil }
    let parts = lie.edits.map(\.part.name)
    return .notUsed("the program does not use \(parts.first ?? "this part of the tenant")")
  }

  /// The finding of a run with the lie.
  func finding(_ run: ClientRun, _ rights: Rights) -> Finding {
    switch probe {
    case .habit(let judge): return judge(rights.runs)
    case .behavior(_, let judge): return judge(run, rights)
    case .truth(let lie):
      guard run.hasLie || lie.edits.isEmpty else { return .notUsed("no response of the run had anything to change") }
      if run.isSuccess { return .kept("the program signs the user in: \(run.resultText)") }
      return .broken("the program fails: \(run.resultText)\(run.reason)")
    case .lie(let lie, let proof):
      guard run.hasLie || lie.edits.isEmpty else { return .notUsed("no response of the run had anything to change") }
      if let request = proof(run) { return .broken("the program took it and continued: \(request.line)") }
      if !rights.tellsRefusal {
        return .unclear("the program ends the same way after a refused sign-in; give --success or --failure PATTERN")
      }
      guard run.isSuccess else { return .kept("the program refuses it: \(run.resultText)\(run.reason)") }
      let next = run.afterLie.last { [.token, .userinfo, .api].contains($0.part) && $0.response.status < 400 }
      return .broken(
        "the program took it: it ends like a right sign-in, \(run.resultText)"
          + (next.map { ", after \($0.line)" } ?? ""))
    }
  }
}

extension ClientRun {
  /// The last line of the output, for a message.
  var reason: String {
    let line = lastOutput(1).trimmingPrefix(while: \.isWhitespace)
    guard !line.isEmpty else { return browserProblem.map { "; \($0)" } ?? "" }
    return "; it says: \(line.count > 160 ? line.prefix(159) + "…" : line)"
  }

  /// True if an authorization response had an ID token.
  var hasIDTokenInAnswer: Bool {
    authorizationRequests.contains { $0.field("response_type")?.split(separator: " ").contains("id_token") == true }
  }
}

extension Topic {
  /// A lie in the answer to the browser: redeeming a code after it shows that the program took it.
  func answerLie(
    _ name: String, _ title: String, _ rule: Rule, in profiles: Set<Profile>? = nil, peers: [String] = [], _ lie: Lie
  ) -> ClientCheck {
    make(
      name, title, rule, profiles, peers,
      .lie(lie) { run in
        run.afterLie.first { $0.part == .token && $0.grantType == "authorization_code" }
      })
  }

  /// A lie that a request of the program after it shows.
  func proven(
    _ name: String, _ title: String, _ rule: Rule, peers: [String] = [], _ lie: Lie,
    by proof: @escaping @Sendable (ClientRun) -> Exchange?
  ) -> ClientCheck { make(name, title, rule, nil, peers, .lie(lie, proof: proof)) }

  /// A lie that shows in the end of the program.
  func lie(
    _ name: String, _ title: String, _ rule: Rule, in profiles: Set<Profile>? = nil, peers: [String] = [],
    isAboutIDToken: Bool = false, _ lie: Lie
  ) -> ClientCheck {
    var check = make(name, title, rule, profiles, peers, .lie(lie) { _ in nil })
    check.isAboutIDToken = isAboutIDToken
    return check
  }

  func idToken(
    _ name: String, _ title: String, _ rule: Rule, in profiles: Set<Profile>? = nil, peers: [String] = [],
    _ edit: @escaping @Sendable (inout TokenDraft, LiePlace) throws -> Void
  ) -> ClientCheck {
    lie(name, title, rule, in: profiles, peers: peers, isAboutIDToken: true, .idToken(edit))
  }

  func truth(
    _ name: String, _ title: String, _ rule: Rule, in profiles: Set<Profile>? = nil, peers: [String] = [], _ lie: Lie
  ) -> ClientCheck {
    make(name, title, rule, profiles, peers, .truth(lie))
  }

  func habit(
    _ name: String, _ title: String, _ rule: Rule, in profiles: Set<Profile>? = nil, peers: [String] = [],
    _ judge: @escaping @Sendable ([ClientRun]) -> Finding
  ) -> ClientCheck {
    make(name, title, rule, profiles, peers, .habit(judge))
  }

  func behavior(
    _ name: String, _ title: String, _ rule: Rule, in profiles: Set<Profile>? = nil, peers: [String] = [], _ lie: Lie,
    _ judge: @escaping @Sendable (ClientRun, ClientCheck.Rights) -> Finding
  ) -> ClientCheck {
    make(name, title, rule, profiles, peers, .behavior(lie, judge))
  }

  private func make(
    _ name: String, _ title: String, _ rule: Rule, _ profiles: Set<Profile>?, _ peers: [String],
    _ probe: ClientCheck.Probe
  ) -> ClientCheck {
    let action =
      if case .habit = probe { "looks at two right sign-ins" } else { "lets the tenant send this: \(title)" }
    return ClientCheck(check: Check(self, name, title, action, rule, profiles, peers: peers), probe: probe)
  }
}
