import HostLoop
package import JSON

/// What happens besides exchanges.
extension TraceRecorder {
  /// What a log line, and whatever else has no more than texts, is made of. Nil is left out.
  private func texts(_ pairs: [(String, String?)]) -> [String: JSON] {
    var members: [String: JSON] = [:]
    for (name, text) in pairs { members[name] = text.map { .string(redaction.text($0)) } }
    return members
  }

  /// - Parameter line: that of the script, where a call that does not wait logs.
  package func log(level: String, _ message: String, fields: [(name: String, value: String)], at line: String?) {
    var place = TracePlace.current
    var members = texts([("level", level), ("message", message)])
    if let line, line != place.line {
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

  /// What ended the script.
  package func failed(_ error: any Error, at line: String?, traceback: String?) {
    var members = texts([("line", line), ("traceback", traceback)])
    members["error"] = self.error(error)
    write("error", members: members)
  }

  /// The agent goes there.
  package func navigated(_ agent: String, to url: String, kind: String, decision: String, from start: Double) {
    var members = texts([("agent", agent), ("kind", kind), ("decision", decision)])
    members["url"] = .string(redaction.url(url))
    members["query"] = redaction.parameters(of: url, behind: "?")
    members["fragment"] = redaction.parameters(of: url, behind: "#")
    write("navigation", from: start, at: .current, members: members)
  }

  /// The agent has a page before it.
  /// - Parameter fields: names and types of what can be filled in.
  package func page(
    _ agent: String, _ url: String, status: Int, title: String, fields: [(name: String, type: String)],
    alerts: [String]
  ) {
    var members = texts([("agent", agent), ("title", title)])
    members["url"] = .string(redaction.url(url))
    members["status"] = .integer(Int64(status))
    members["fields"] = .array(fields.map { ["name": .string(redaction.text($0.name)), "type": .string($0.type)] })
    members["alerts"] = .array(alerts.map { .string(redaction.text($0)) })
    write("page", at: .current, members: members)
  }

  /// A function of the script was called.
  /// - Parameters:
  ///   - subject: what it was called with, in a few words.
  ///   - answer: what it returned, likewise.
  package func called(
    _ name: String, defined: String?, plugin: String? = nil, subject: String?, answer: String?, error: (any Error)?,
    from start: Double
  ) {
    var members = texts([
      ("name", name), ("defined", defined), ("plugin", plugin), ("subject", subject), ("answer", answer),
    ])
    members["error"] = error.map { self.error($0) }
    write("callback", from: start, at: .current, members: members)
  }

  /// Tokens were renewed, or should have been.
  package func refreshed(
    account: String, policy: String?, attempt: Int, error: (any Error)?, from start: Double
  ) {
    var members = texts([
      ("account", account), ("policy", policy), ("outcome", error == nil ? "renewed" : "failed"),
    ])
    members["attempt"] = .integer(Int64(attempt))
    members["error"] = error.map { self.error($0) }
    write("refresh", from: start, at: .current, members: members)
  }

  /// An attempt to sign in is over.
  package func signedIn(
    flow: String, policy: String?, agent: String, attempt: Int, outcome: String, account: String?, stage: String?,
    error: (any Error)?, from start: Double
  ) {
    var members = texts([
      ("flow", flow), ("policy", policy), ("agent", agent), ("outcome", outcome), ("account", account),
      ("stage", stage),
    ])
    members["attempt"] = .integer(Int64(attempt))
    members["error"] = error.map { self.error($0) }
    write("sign_in", from: start, at: .current, members: members)
  }

  /// An import is in another phase, or something happened in it.
  /// - Parameter facts: numbers, texts and so on, by the names of the event's members.
  package func importing(
    _ phase: String, _ facts: [String: JSON] = [:], error: (any Error)? = nil, from start: Double? = nil
  ) {
    var members = facts.mapValues { redaction.json($0) }
    members["phase"] = .string(phase)
    if let error { members["error"] = self.error(error) }
    write("import", from: start, at: .current, members: members)
  }
}
