import Core
package import JSON

/// A command of a person or a program: from the socket, from the API, or from another machine.
package enum JobCommand: Sendable {
  case run(job: String, arguments: [String]?)
  case pause(job: String)
  case resume(job: String)
  case allow(job: String, flags: [String])
  case cancel(run: Int64)
  case retry(run: Int64)
  case decide(run: Int64, Decision)

  /// The commands about a job or a run that programs may send to the API.
  package static let actions = [
    "jobs": ["run", "pause", "resume"], "runs": ["cancel", "retry", "approve", "decline"],
  ]

  private static let job = BodySchema.Field(name: "job", kind: .text, isRequired: true)
  private static let run = BodySchema.Field(name: "run", kind: .wholeNumber, isRequired: true)

  private static let more: [String: [BodySchema.Field]] = [
    "run": [.init(name: "arguments", kind: .texts(most: RunArguments.most, longest: RunArguments.longest))],
    "pause": [], "resume": [], "cancel": [], "retry": [],
    "approve": [.init(name: "wait", kind: .wholeNumber)], "decline": [.init(name: "wait", kind: .wholeNumber)],
    "allow": [.init(name: "flags", kind: .texts(most: 2 * JobNeeds.most, longest: JobNeeds.longest), isRequired: true)],
  ]

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
    let subject = Self.actions["runs"]?.contains(name) == true ? Self.run : Self.job
    members = try BodySchema(fields: [subject] + fields).members(of: .object(members))
    let job = members["job"]?.string ?? ""
    let run = members["run"]?.lenientInteger ?? 0
    func texts(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }
    switch name {
    case "run":
      let arguments = texts("arguments")
      if let problem = arguments.flatMap(RunArguments.problem) { throw BodySchema.failure("arguments: \(problem)") }
      self = .run(job: job, arguments: arguments)
    case "pause": self = .pause(job: job)
    case "resume": self = .resume(job: job)
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
    case .run(_, let arguments):
      members["op"] = "run"
      members["arguments"] = arguments.map { .array($0.map { .string($0) }) }
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
    case .run(let job, _), .pause(let job), .resume(let job), .allow(let job, _): job
    case .cancel, .retry, .decide: nil
    }
  }

  /// The run that the command is about; nil for a command about a job.
  private var run: Int64? {
    switch self {
    case .cancel(let run), .retry(let run), .decide(let run, _): run
    case .run, .pause, .resume, .allow: nil
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
