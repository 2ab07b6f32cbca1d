package import JSON

/// The event for which a run waits in `run.wait_for`.
package enum RunWait: Sendable, Equatable {
  /// A request at this path.
  case request(path: String)
  /// The decision of a person, at the pages, by the API or by `b2c-run jobs approve`. The text says what the person approves.
  case approval(String)

  /// Returns nil for a run that does not wait.
  package init?(_ json: JSON?) {
    if let text = json?["approval"]?.string {
      self = .approval(text)
    } else if let path = json?["path"]?.string {
      self = .request(path: path)
    } else {
      return nil
    }
  }

  var members: [String: JSON] {
    switch self {
    case .request(let path): ["path": .string(path)]
    case .approval(let text): ["approval": .string(text)]
    }
  }

  /// The sentence about a wait that cannot be; nil for one that can.
  package var problem: String? {
    switch self {
    case .request(let path): WebhookPath.problem(path)
    case .approval(""): "the text of the approval is empty"
    case .approval(let text): StoredName.problem(text).map { "the text of the approval \($0)" }
    }
  }

  /// The event in lists of runs.
  var reason: String {
    switch self {
    case .request(let path): "webhook \(path)"
    case .approval(let text): "an approval: \(text)"
    }
  }
}

/// The pause of a run between two processes. It is stored with the run before the process hears that it may end, so that no end
/// of a host or of a machine loses it.
extension RunRecord {
  /// The event of `run.wait_for`; nil for a run without one.
  var wait: RunWait? { RunWait(event["waits"]) }

  mutating func setWait(_ members: [String: JSON]?) {
    var event = event.object ?? [:]
    event["waits"] = members.map { .object($0) }
    self.event = .object(event)
  }

  /// True if its process ends now, and another one continues the run later.
  var isPaused: Bool { state == .started && (wake != nil || wait != nil) }
  /// The time at which it continues by itself; nil while its process is there.
  var nextWake: Int64? { state == .started ? nil : wake }
}
