import Core
import HostLoop
package import JSON

/// A command of a person or a program: from the socket, from the API, or from another machine.
package enum JobCommand: Sendable {
  case run(job: String, arguments: [String]?)
  case pause(job: String)
  case resume(job: String)
  case allow(job: String, flags: [String])
  case cancel(run: Int64)
  case retry(run: Int64)

  /// The commands about a job or a run that programs may send to the API.
  package static let actions = ["jobs": ["run", "pause", "resume"], "runs": ["cancel", "retry"]]

  private static let job = BodySchema.Field(name: "job", kind: .text, isRequired: true)
  private static let run = BodySchema.Field(name: "run", kind: .wholeNumber, isRequired: true)

  private static let more: [String: [BodySchema.Field]] = [
    "run": [.init(name: "arguments", kind: .texts(most: RunArguments.most, longest: RunArguments.longest))],
    "pause": [], "resume": [], "cancel": [], "retry": [],
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
    let subject = ["cancel", "retry"].contains(name) ? Self.run : Self.job
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
    default: self = .retry(run: run)
    }
  }
}

extension Turn {
  /// Carries out a command of a person. Throws `JobError` for one that cannot be carried out.
  mutating func answer(_ command: JSON) async throws -> JSON {
    switch try JobCommand(command) {
    // In two steps: a call on this value would begin with a copy of it, without the run.
    case .run(let job, let arguments):
      let id = try await run(job, arguments: arguments)
      return started(id)
    case .pause(let job): try await pause(job)
    case .resume(let job): try await resume(job)
    case .allow(let job, let flags): try await allow(job, flags)
    case .cancel(let run): try await cancel(run, "by hand")
    case .retry(let run):
      let id = try await retry(run)
      return started(id)
    }
    return ["ok": true]
  }

  private func started(_ run: Int64) -> JSON {
    var members: [String: JSON] = ["ok": true, "run": .integer(run)]
    members["reason"] = model.runs[run]?.reason.map { .string($0) }
    return .object(members)
  }
}
