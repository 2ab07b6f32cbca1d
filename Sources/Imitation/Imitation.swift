package import ConformClient
import Core
import HTTPServer
import JSON
package import LocalTenant
package import Parties
import Synchronization

/// Lets a local tenant answer like the provider of a profile: it stands between the clients and the tenant, and carries
/// out the habits.
package final class Imitation: Sendable {
  private struct State {
    var origin = ""
    /// The parameters of the last authorization request: a token response may depend on them.
    var asked: [(String, String)] = []
    var marks = Marks()
  }

  /// The traces of habits since the last call of `takeMarks`.
  package struct Marks: Sendable {
    /// The habit that refused the last request; nil if none did.
    package var refusal: Refused?
  }

  /// A refusal of a habit.
  package struct Refused: Sendable {
    package let habit: String
    /// The parameters that the habit wants or does not take.
    package let parameters: Set<String>
  }

  private let rules: [HabitRule]
  private let keys: TenantKeys
  private let kind: TenantKind
  private let state = Mutex(State())

  package init(_ profile: PartyProfile, keys: TenantKeys) {
    kind = profile.kind.flatMap(TenantKind.init) ?? .externalID
    self.keys = keys
    rules = profile.habits.flatMap { habit in habit.effects.compactMap { HabitRule(habit.name, $0) } }
  }

  /// A configuration of the tenant that this imitation answers for.
  package func configure(_ configuration: inout TenantConfiguration) {
    configuration.kind = kind
    configuration.signingKey = keys.own
    configuration.between = { [self] request, tenant in answer(request, tenant) }
  }

  /// Tells the address of the tenant, which texts of the profile name as `{origin}`.
  package func begin(at origin: String) { state.withLock { $0.origin = origin } }

  /// Forgets and returns what the habits did.
  package func takeMarks() -> Marks {
    state.withLock { state in
      defer { state.marks = Marks() }
      return state.marks
    }
  }

  // MARK: Requests

  private func answer(_ given: ServerRequest, _ tenant: (ServerRequest) -> ServerResponse) -> ServerResponse {
    let part = TenantPart(given.path)
    let fields = Self.fields(given)
    if part == .authorize { state.withLock { $0.asked = fields } }
    let (origin, asked) = state.withLock { ($0.origin, $0.asked) }
    if let refusal = refusal(part, fields) {
      state.withLock { $0.marks.refusal = Refused(habit: refusal.rule.habit, parameters: refusal.parameters) }
      return response(refusal.refusal, part, fields)
    }
    var request = given
    for rule in rules { request = rule.adapted(request, part, fields) }
    var response = tenant(request)
    let place = LiePlace(request: request, keys: keys, origin: origin)
    for rule in rules {
      let texts = HabitTexts(origin: origin, kind: kind, clientID: fields.first { $0.0 == "client_id" }?.1 ?? "")
      rule.change(&response, part, fields + asked, place, texts)
    }
    return response
  }

  /// The fields of the query and the form, and marks of header fields that conditions name.
  private static func fields(_ request: ServerRequest) -> [(String, String)] {
    var fields = request.query + request.form
    if request.header("Authorization") != nil { fields.append(("Authorization", "*")) }
    if request.header("Accept")?.contains("application/json") == true {
      fields.append(("Accept: application/json", "*"))
    }
    return fields
  }

  private func refusal(
    _ part: TenantPart, _ fields: [(String, String)]
  ) -> (rule: HabitRule, refusal: Refusal, parameters: Set<String>)? {
    for rule in rules {
      guard case .refuses(let condition, let refusal) = rule.effect, condition.holds(fields, at: part.rawValue),
        [.authorize, .token, .userinfo].contains(part)
      else { continue }
      return (rule, refusal, Set(condition.has.keys).union(condition.lacks))
    }
    return nil
  }

  private func response(_ refusal: Refusal, _ part: TenantPart, _ fields: [(String, String)]) -> ServerResponse {
    func field(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
    if part == .authorize, let target = field("redirect_uri"), Self.isOfThisMachine(target) {
      var answer = [("error", refusal.error), ("error_description", refusal.description ?? "")]
      if let state = field("state") { answer.append(("state", state)) }
      let mark = target.contains("?") ? "&" : "?"
      return ServerResponse(
        status: 302, headers: [("Location", target + mark + URLEncodedForm.encode(answer.filter { !$0.1.isEmpty }))],
        body: [])
    }
    return refusal.response
  }

  /// A habit never sends a browser to another machine: no application is compared with the address.
  private static func isOfThisMachine(_ url: String) -> Bool {
    let host = WebAddress(url).authority.prefix { $0 != ":" }
    return ["localhost", "127.0.0.1", "conform.example"].contains(host) || !url.hasPrefix("http")
  }
}

extension Refusal {
  /// The error as a response of the token endpoint; an empty code stands for a response without a body.
  var response: ServerResponse {
    guard !error.isEmpty else { return ServerResponse(status: status ?? 400, body: []) }
    var body = members
    body["error"] = .string(error)
    body["error_description"] = description.map(JSON.string)
    return ServerResponse(
      status: status ?? 400, headers: [("Cache-Control", "no-store")], text: JSON.object(body).encoded(),
      type: "application/json")
  }
}
