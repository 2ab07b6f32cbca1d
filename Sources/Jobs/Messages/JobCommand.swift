import Core
package import JSON
package import JobConditions

/// A command of a person or a program: from the socket, from the API, or from another machine.
package enum JobCommand: Sendable {
  /// - Parameters:
  ///   - event: the event in place of one by hand.
  ///   - like: an earlier run, whose event and arguments are used if no others are given.
  case run(job: String, arguments: [String]?, event: JSON? = nil, like: Int64? = nil)
  case pause(job: String)
  case resume(job: String)
  /// Pauses all jobs: now, or in a window of maintenance.
  case pauseAll(HostPause.Window?)
  case resumeAll
  /// Runs a job for its due times from one moment up to another, in milliseconds since 1970; a trial only counts them.
  case backfill(job: String, from: Int64, until: Int64, isTrial: Bool)
  /// Reads the scripts again.
  case reload
  case allow(job: String, flags: [String])
  case cancel(run: Int64)
  case retry(run: Int64)
  /// Lets a run continue with the present code of its job.
  case move(run: Int64)
  case decide(run: Int64, Decision)

  /// The commands about a job or a run that programs may send to the API.
  package static let actions = [
    "jobs": ["run", "pause", "resume"], "runs": ["cancel", "retry", "approve", "decline"],
  ]

  private static let job = BodySchema.Field(name: "job", kind: .text, isRequired: true)
  private static let run = BodySchema.Field(name: "run", kind: .wholeNumber, isRequired: true)

  private static let more: [String: [BodySchema.Field]] = [
    "run": [
      .init(name: "arguments", kind: .texts(most: RunArguments.most, longest: RunArguments.longest)),
      .init(name: "event", kind: .object), .init(name: "like", kind: .wholeNumber),
    ],
    "pause": [], "resume": [], "cancel": [], "retry": [], "move": [], "reload": [], "resume_all": [],
    "pause_all": [.init(name: "from", kind: .wholeNumber), .init(name: "until", kind: .wholeNumber)],
    "backfill": [
      .init(name: "from", kind: .wholeNumber, isRequired: true),
      .init(name: "until", kind: .wholeNumber, isRequired: true), .init(name: "trial", kind: .wholeNumber),
    ],
    "approve": [.init(name: "wait", kind: .wholeNumber)], "decline": [.init(name: "wait", kind: .wholeNumber)],
    "allow": [.init(name: "flags", kind: .texts(most: 2 * JobNeeds.most, longest: JobNeeds.longest), isRequired: true)],
  ]

  /// The commands about no single job or run, and those about a run that the API does not take.
  private static let aboutAll: Set = ["reload", "pause_all", "resume_all"]
  private static let aboutRuns: Set = ["move"]

  private static func subject(of command: String) -> [BodySchema.Field] {
    if aboutAll.contains(command) { return [] }
    return actions["runs"]?.contains(command) == true || aboutRuns.contains(command) ? [run] : [job]
  }

  /// The fields of a command besides the job or the run that it is about: the body of a request to the API.
  package static func body(of command: String) -> BodySchema { BodySchema(fields: more[command] ?? []) }

  /// - Parameter json: `op`, `job` or `run`, and the fields of the command.
  /// - Throws: `no_command`, or `bad_request` for a field that makes no sense.
  package init(_ json: JSON) throws(JobError) {
    guard case .object(var members) = json else { throw BodySchema.failure("expected a JSON object, got \(json.kind)") }
    let name = members.removeValue(forKey: "op")?.string ?? ""
    guard let fields = Self.more[name] else {
      throw JobError("no_command", "there is no command \(name.displayable.clipped(to: 60))")
    }
    // The server knows who has signed in: nobody sends that.
    let person = members.removeValue(forKey: "by")?.string
    members = try BodySchema(fields: Self.subject(of: name) + fields).members(of: .object(members))
    let job = members["job"]?.string ?? ""
    let run = members["run"]?.lenientInteger ?? 0
    func number(_ name: String) -> Int64? { members[name]?.lenientInteger }
    func texts(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }
    switch name {
    case "run":
      let arguments = texts("arguments")
      if let problem = arguments.flatMap(RunArguments.problem) { throw BodySchema.failure("arguments: \(problem)") }
      self = .run(job: job, arguments: arguments, event: members["event"], like: number("like"))
    case "pause": self = .pause(job: job)
    case "resume": self = .resume(job: job)
    case "pause_all":
      self = .pauseAll(number("until").map { HostPause.Window(from: number("from") ?? 0, until: $0) })
    case "resume_all": self = .resumeAll
    case "reload": self = .reload
    case "backfill":
      self = .backfill(
        job: job, from: number("from") ?? 0, until: number("until") ?? 0, isTrial: number("trial") == 1)
    case "move": self = .move(run: run)
    case "allow": self = .allow(job: job, flags: texts("flags") ?? [])
    case "cancel": self = .cancel(run: run)
    case "approve", "decline":
      self = .decide(
        run: run,
        Decision(isApproved: name == "approve", wait: members["wait"]?.lenientInteger, person: person))
    default: self = .retry(run: run)
    }
  }

  /// The message that `init` reads.
  package var json: JSON {
    var members: [String: JSON] = [:]
    switch self {
    case .run(_, let arguments, let event, let like):
      members["op"] = "run"
      members["arguments"] = arguments.map { .array($0.map { .string($0) }) }
      members["event"] = event
      members["like"] = like.map { .integer($0) }
    case .pauseAll(let window):
      members["op"] = "pause_all"
      members["from"] = window.map { .integer($0.from) }
      members["until"] = window.map { .integer($0.until) }
    case .resumeAll: members["op"] = "resume_all"
    case .reload: members["op"] = "reload"
    case .backfill(_, let from, let until, let isTrial):
      (members["op"], members["from"], members["until"]) = ("backfill", .integer(from), .integer(until))
      if isTrial { members["trial"] = 1 }
    case .move: members["op"] = "move"
    case .pause: members["op"] = "pause"
    case .resume: members["op"] = "resume"
    case .allow(_, let flags):
      members["op"] = "allow"
      members["flags"] = .array(flags.map { .string($0) })
    case .cancel: members["op"] = "cancel"
    case .retry: members["op"] = "retry"
    case .decide(_, let decision):
      members["op"] = decision.isApproved ? "approve" : "decline"
      members["wait"] = decision.wait.map { .integer($0) }
      members["by"] = decision.person.map { .string($0) }
    }
    members["job"] = job.map { .string($0) }
    members["run"] = run.map { .integer($0) }
    return .object(members)
  }

  /// The job that the command is about; nil for a command about a run.
  var job: String? {
    switch self {
    case .run(let job, _, _, _), .pause(let job), .resume(let job), .allow(let job, _), .backfill(let job, _, _, _): job
    case .cancel, .retry, .decide, .move, .pauseAll, .resumeAll, .reload: nil
    }
  }

  /// The run that the command is about; nil for a command about a job.
  private var run: Int64? {
    switch self {
    case .cancel(let run), .retry(let run), .decide(let run, _), .move(let run): run
    case .run, .pause, .resume, .allow, .backfill, .pauseAll, .resumeAll, .reload: nil
    }
  }

  /// The decision of a person about a run that waits for an approval.
  package struct Decision: Sendable {
    package var isApproved: Bool
    /// The number of the wait that the person has seen; nil for the current one.
    package var wait: Int64?
    /// The name of the person; nil where nobody signs in.
    package var person: String?

    package init(isApproved: Bool, wait: Int64? = nil, person: String? = nil) {
      (self.isApproved, self.wait, self.person) = (isApproved, wait, person)
    }
  }
}
