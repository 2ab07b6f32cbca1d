import Core
import HTTPClient
package import HostLoop
import JSON
import OAuth

extension TraceRecorder {
  /// Records the events of a run.
  package func watch(_ events: Events) {
    events.watch(RunEvent.self) { [self] event, events in record(event, at: events.currentPlace()) }
    events.watch(RecordedExchange.self) { [self] in record($0, of: $1) }
    events.watch(IDTokenValidation.self) { [self] in record($0, at: $1.currentPlace()) }
  }

  private func record(_ event: RunEvent, at place: EventPlace) {
    switch event {
    case .log(let level, let message, let fields): log(level, message, fields, at: place)
    case .failed(let error, let line, let traceback):
      write("error", members: texts(["line": line, "traceback": traceback]), error: error)
    case .parties(let authority, let tasks): know(authority, tasks)
    case .navigated(let agent, let url, let kind, let decision, let start):
      var members = texts(["agent": agent, "kind": kind, "decision": decision])
      members["url"] = .string(redaction.url(url))
      members["query"] = redaction.parameters(WebAddress(url).query)
      members["fragment"] = redaction.parameters(WebAddress(url).fragment)
      write("navigation", from: start, at: place, members: members)
    case .page(let agent, let page):
      var members = texts(["agent": agent, "title": page.title])
      members["url"] = .string(redaction.url(page.url))
      members["status"] = JSON(page.status)
      members["fields"] = .array(
        page.fields.map { ["name": .string(redaction.text($0.name)), "type": .string($0.type)] })
      members["alerts"] = .array(page.alerts.map { .string(redaction.text($0)) })
      write("page", at: place, members: members)
    case .secret(let secret): redaction.hide(secret)
    case .calledBack(let call, let start):
      let members = texts([
        "name": call.name, "defined": call.defined, "plugin": call.plugin, "subject": call.subject,
        "answer": call.answer,
      ])
      write("callback", from: start, at: place, members: members, error: call.error)
    case .signedIn(let attempt, let start):
      var members = texts([
        "flow": attempt.flow, "policy": attempt.policy, "agent": attempt.agent, "outcome": attempt.outcome,
        "account": attempt.account, "stage": attempt.stage,
      ])
      members["attempt"] = JSON(attempt.number)
      write("sign_in", from: start, at: place, members: members, error: attempt.error)
    case .renewed(let account, let policy, let attempt, let error, let start):
      var members = texts(["account": account, "policy": policy, "outcome": error == nil ? "renewed" : "failed"])
      members["attempt"] = JSON(attempt)
      write("refresh", from: start, at: place, members: members, error: error)
    case .importing(let phase, let facts, let error, let start):
      var members: [String: JSON] = facts.mapValues { fact in
        switch fact {
        case .number(let number): JSON(number)
        case .text(let text): JSON.string(redaction.text(text))
        }
      }
      members["phase"] = .string(phase)
      write("import", from: start, at: place, members: members, error: error)
    }
  }

  /// The members that are texts. Nil is left out.
  private func texts(_ pairs: KeyValuePairs<String, String?>) -> [String: JSON] {
    var members: [String: JSON] = [:]
    for (name, text) in pairs { members[name] = text.map { .string(redaction.text($0)) } }
    return members
  }

  private func log(
    _ level: String, _ message: String, _ fields: [(name: String, value: String)], at place: EventPlace
  ) {
    var place = place
    var members = texts(["level": level, "message": message])
    if let line = place.runningLine, line != place.line {
      // A hook or a handler logs while the host acts for a call, and makes no call itself.
      members["within"] = place.call.map { .string($0) }
      place.line = line
      place.call = nil
    }
    if !fields.isEmpty {
      members["fields"] = redaction.json(
        .object(Dictionary(fields.map { ($0.name, .string($0.value)) }) { first, _ in first }))
    }
    write("log", at: place, members: members)
  }

  private func know(_ authority: Set<String>, _ tasks: String?) {
    guard parties.add(authority: authority, tasks: tasks) else { return }
    write(
      "parties",
      members: [
        "authority": .array(parties.authority.sorted().map { .string($0) }),
        "tasks": .array(parties.tasks.map { .string($0) }),
      ])
  }

  private func record(_ validation: IDTokenValidation, at place: EventPlace) {
    var members: [String: JSON] = [
      "token": .string(redaction.label(validation.idToken, .idToken)), "valid": .bool(validation.error == nil),
      "checks": .array(validation.checks.map(check)),
    ]
    members["policy"] = validation.policy.map { .string(redaction.text($0)) }
    write(
      "validation", from: HostLoop.uptime - validation.seconds, at: place, members: members, error: validation.error)
  }

  private func check(_ check: IDTokenValidation.Check) -> JSON {
    var members: [String: JSON] = ["name": .string(check.name), "result": .string(check.result.rawValue)]
    members["claim"] = check.claim.map { .string($0) }
    members["expected"] = check.expected.map { redaction.json($0) }
    members["actual"] = check.actual.map { redaction.json($0) }
    return .object(members)
  }
}

/// The parties of a run, as far as addresses tell.
struct Parties {
  private(set) var authority: Set<String> = []
  private(set) var tasks: [String] = []

  mutating func add(authority origins: Set<String>, tasks url: String?) -> Bool {
    let isNew = !origins.isSubset(of: authority) || url.map { !tasks.contains($0) } ?? false
    authority.formUnion(origins)
    if let url, !tasks.contains(url) { tasks.append(url) }
    return isNew
  }

  /// Returns the party that an address belongs to. A task API may be at the authority's own origin, as at the local tenant.
  func asked(_ url: String) -> String {
    if tasks.contains(where: { url.hasPrefix($0) }) { return "tasks" }
    return Origin(url).map { authority.contains($0.description) } == true ? "authority" : "other"
  }
}
