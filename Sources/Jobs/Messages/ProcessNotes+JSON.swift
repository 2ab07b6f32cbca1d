import JSON
import JobConditions

/// The notes on a process, as one machine passes them on to another.
extension JobModel.ProcessNotes {
  func json(now: Moment) -> JSON {
    var members: [String: JSON] = ["ran": .integer(max(0, now.awake - began))]
    members["left"] = limit.map { .integer($0 - now.awake) }
    members["kill"] = killAt.map { .integer($0 - now.awake) }
    members["error"] = error?.json
    switch stop {
    case .timeout?: members["stop"] = "timeout"
    case .shutdown?: members["stop"] = "shutdown"
    case .canceled(let reason)?: (members["stop"], members["reason"]) = ("canceled", .string(reason))
    case .failed(let error)?: (members["stop"], members["failure"]) = ("failed", error.json)
    case nil: break
    }
    return .object(members)
  }

  init(_ json: JSON, _ owner: String, now: Moment) {
    func moment(_ name: String) -> Int64? { json[name]?.lenientInteger.map { now.awake + $0 } }
    self.init(began: now.awake - (json["ran"]?.lenientInteger ?? 0), limit: moment("left"))
    killAt = moment("kill")
    error = RunError(json["error"])
    self.owner = owner
    switch json["stop"]?.string {
    case "timeout": stop = .timeout
    case "shutdown": stop = .shutdown
    case "canceled": stop = .canceled(json["reason"]?.string ?? "")
    case "failed": stop = RunError(json["failure"]).map { .failed($0) }
    default: break
    }
  }
}

extension ProcessEnd {
  var json: JSON {
    switch self {
    case .status(let status): .object(["status": .integer(Int64(status))])
    case .signal(let signal): .object(["signal": .integer(Int64(signal))])
    case .unknown: [:]
    }
  }

  /// Nil for a message that is no end.
  init?(_ json: JSON?) {
    guard let json else { return nil }
    func number(_ name: String) -> Int32? { json[name]?.lenientInteger.map { Int32(truncatingIfNeeded: $0) } }
    self = number("status").map { .status($0) } ?? number("signal").map { .signal($0) } ?? .unknown
  }
}
