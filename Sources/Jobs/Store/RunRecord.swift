import Core
package import JSON

/// The state of a run, or of a due time.
package enum RunState: String, Sendable, CaseIterable {
  /// Waits for its turn.
  case due
  case started
  /// Waits for its next try.
  case retry
  /// Waits for a time in `run.sleep`.
  case asleep
  /// Waits for a request in `run.wait_for`.
  case waiting
  case ok, failed
  case timedOut = "timed out"
  case interrupted, canceled, skipped

  /// True if the run continues.
  package var isOpen: Bool {
    switch self {
    case .due, .started, .retry, .asleep, .waiting: true
    default: false
    }
  }

  /// True if the run ended without success.
  package var isFailure: Bool {
    switch self {
    case .failed, .timedOut, .interrupted: true
    default: false
    }
  }
}

/// A run of a job, or the due times that were skipped for the same reason, as the store has it. All times are milliseconds
/// since 1970.
package struct RunRecord: Sendable, Equatable {
  package var id: Int64 = 0
  package var job: String
  /// The kind of its event: `cron`, `files`, `hand`.
  package var kind: String
  /// The time at which it was due; nil for events that do not come by the clock.
  package var due: Int64?
  /// The last of several skipped due times.
  package var until: Int64?
  /// The number of skipped due times.
  package var count: Int64 = 1
  package var event: JSON
  /// The value of the overlap key.
  package var key: String?
  package var state: RunState
  /// Why it was skipped or canceled, or what it waits for.
  package var reason: String?
  package var attempt = 0
  /// How often the end of the host has cut it off.
  package var interruptions = 0
  package var created: Int64
  /// The time until which it waits.
  package var wake: Int64?
  package var started: Int64?
  package var ended: Int64?
  /// The milliseconds that the processes of this try ran, without the current one.
  package var computed: Int64 = 0
  package var process: ProcessIdentity?
  /// The digest of the script.
  package var digest: String?
  /// The permissions that it had, as flags.
  package var permissions: [String] = []
  /// The arguments in place of the declared ones.
  package var arguments: [String]?
  package var exit: Int32?
  package var error: RunError?
  package var progress: JSON?
  /// The machine that ran it last; nil where there is only one.
  package var machine: String?

  package init(job: String, kind: String, due: Int64? = nil, event: JSON, state: RunState = .due, created: Int64) {
    self.job = job
    self.kind = kind
    self.due = due
    self.event = event
    self.state = state
    self.created = created
  }
}

/// A process, distinguished from later ones with its number.
package struct ProcessIdentity: Sendable, Equatable {
  package var id: Int32
  /// The ID of the machine's boot.
  package var boot: String
  /// In clock ticks since the boot.
  package var start: Int64

  package init(id: Int32, boot: String, start: Int64) {
    self.id = id
    self.boot = boot
    self.start = start
  }
}

/// The error that ended a run.
package struct RunError: Sendable, Equatable {
  package var code: String
  package var message: String
  package var hint: String?
  /// Script and line: `inbox.lua:12`.
  package var place: String?
  package var traceback: String?
  /// The seconds that a server asked to wait.
  package var retryAfter: Double?

  package init(code: String, message: String, hint: String? = nil, place: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.place = place
  }

  /// The error as a process or a person gets it.
  package init(_ error: any Error) {
    let failure = error as? any Failure
    self.init(code: failure?.code ?? "host_error", message: failure?.message ?? "\(error)", hint: failure?.hint)
  }

  init?(_ json: JSON?) {
    guard let code = json?["code"]?.string, let message = json?["message"]?.string else { return nil }
    self.init(code: code, message: message, hint: json?["hint"]?.string, place: json?["place"]?.string)
    traceback = json?["traceback"]?.string
    switch json?["retry_after"] {
    case .number(let seconds)?: retryAfter = seconds
    case .integer(let seconds)?: retryAfter = Double(seconds)
    default: break
    }
  }

  package var json: JSON {
    var members: [String: JSON] = ["code": .string(code), "message": .string(message)]
    members["hint"] = hint.map { .string($0) }
    members["place"] = place.map { .string($0) }
    members["traceback"] = traceback.map { .string($0) }
    members["retry_after"] = retryAfter.map { .number($0) }
    return .object(members)
  }
}
