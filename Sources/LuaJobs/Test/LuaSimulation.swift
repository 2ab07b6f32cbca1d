import Automation
import CommandLine
import Core
import Crypto
import Files
import HostLoop
package import JSON
import JobProcesses
import JobSimulation
import Jobs
package import Lua
import LuaKit
package import Permissions
import Schedule

/// The jobs that `test.jobs` returns: the real job host with a separate clock, and without processes.
package final class LuaSimulation: LuaObject {
  private let jobs: SimulatedJobs
  private let zone: Zone

  /// - Parameters:
  ///   - folder: the folder of the test.
  ///   - declaration: runs the source of a file until it declares its job.
  package init(
    _ call: Arguments, folder: String, _ permissions: Permissions,
    declaration: @HostActor (_ source: [UInt8], _ path: String) async throws -> JSON
  ) async throws {
    let given = try SimulationOptions(call)
    zone = try given.zone.map { try Zone($0) } ?? .utc
    let start: Int64
    do { start = try Schedule.moment(of: given.from, in: zone) } catch {
      throw call.failure(option: "from", error.message, hint: error.hint)
    }
    let zone = zone
    let run = given.run
    var options = JobHost.Options(zone: zone)
    // A test looks at all runs of a year.
    options.forgets = false
    jobs = try SimulatedJobs(from: start, options: options) { record in
      guard let run else { return .init() }
      do {
        let seconds = try await run.call([Self.value(of: record, zone)]).first?.number ?? 0
        return .init(duration: Int64(max(0, min(seconds, 1e9)) * 1000))
      } catch let error as LuaError {
        return .failing(error.code, error.message)
      }
    }
    let path = given.folder.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" } ?? folder
    var definitions: [JobDefinition] = []
    let names = try JobFolder.names(in: path)
    if let clash = JobFolder.clashes(among: names).values.sorted().first { throw call.failure(option: "folder", clash) }
    for name in names {
      let file = "\(path)/\(name).lua"
      let source = try permissions.contents(
        of: file, for: .streaming, most: 16 << 20, "the most that the script of a job may have", call)
      let declaration = try await declaration(source, file)
      _ = try JobDeclaration(declaration, zone: zone)
      definitions.append(
        JobDefinition(
          name: name, path: file, digest: SHA256.hash(source).hexadecimal, declaration: declaration))
    }
    guard !definitions.isEmpty else { throw call.failure(option: "folder", "there are no jobs in \(path)") }
    try await jobs.load(definitions)
  }

  private static func value(of run: RunRecord, _ zone: Zone) -> LuaValue {
    func seconds(_ time: Int64?) -> LuaValue { time.map { .number(Double($0) / 1000) } ?? .nil }
    return .record([
      ("id", .integer(run.id)), ("job", .string(run.job)), ("kind", .string(run.kind)),
      ("state", .string(run.state.rawValue)), ("reason", .string(run.reason ?? run.error?.message)),
      ("attempt", .integer(Int64(run.attempt))), ("count", .integer(run.count)), ("due", seconds(run.due)),
      ("at", .string((run.due ?? run.started).map { zone.civil(at: $0).text })), ("started", seconds(run.started)),
      ("ended", seconds(run.ended)),
    ])
  }

  // MARK: For scripts

  static let run = LuaRecord(
    "simulated run", "A run of a job, or the due times that were skipped for one reason.",
    Parameter("id", .integer, "The number of the run."), Parameter("job", .string, "The name of the job."),
    Parameter("kind", .string, "The kind of the event, such as cron."),
    Parameter("state", .string, "ok, failed, skipped, started, and so on."),
    .optional("reason", .string, "The reason for a failure or a skip."),
    Parameter("attempt", .integer, "The number of tries."),
    Parameter("count", .integer, "The number of due times that the row stands for."),
    .optional("due", .number, "The due time, in seconds since 1970."),
    .optional("at", .string, "The due time or the start as text, in the zone of the simulation."),
    .optional("started", .number, "The start of the last try, in seconds since 1970."),
    .optional("ended", .number, "The end, in seconds since 1970."))

  package static let luaType = HostType(
    "simulation", "The jobs of a folder, with a separate clock.",
    properties: [
      property("now", .string, "The time of the clock, such as 2027-01-31 18:00.") {
        .string($0.zone.civil(at: $0.jobs.now).text)
      }
    ],
    methods: [
      suspendingMethod(
        "simulation:advance", "Lets time pass, with everything that happens in it.", time("The time, such as 2d.")
      ) { this, arguments in
        try await this.jobs.advance(by: interval(arguments))
        return []
      },
      suspendingMethod(
        "simulation:runs", "Returns the runs and the skipped due times, the oldest first.",
        .optional("job", .string, "The name of a job; all jobs if not given."),
        returns: .init(.list(of: .record(run)), "The runs.")
      ) { this, arguments in
        var filter = JobStore.Filter()
        filter.job = arguments[1].string
        filter.limit = 1_000_000
        return [.list(try await this.jobs.store.runs(filter).reversed().map { value(of: $0, this.zone) })]
      },
      suspendingMethod(
        "simulation:start", "Starts a job by hand.", Parameter("job", .string, "The name of the job.")
      ) { this, arguments in
        let name = arguments.string(1)
        _ = try await this.jobs.perform { try await $0.run(name, arguments: nil) }
        return []
      },
      suspendingMethod(
        "simulation:crash", "Ends the host and its runs at once. The host starts again later.",
        time("The time until the host starts again, such as 1h.")
      ) { this, arguments in
        try await this.jobs.crash(downFor: interval(arguments))
        return []
      },
      suspendingMethod(
        "simulation:set_clock", "Sets the clock forward or back, as a person or a time server may do.",
        Parameter("seconds", .number, "The seconds; below zero to set it back.")
      ) { this, arguments in
        try await this.jobs.setClock(by: Int64(max(-1e9, min(1e9, arguments.number(1))) * 1000))
        return []
      },
    ],
    describe: { ($0 as? LuaSimulation).map { "at \($0.zone.civil(at: $0.jobs.now).text)" } ?? "" })

  private static func time(_ doc: String) -> Parameter { Parameter("time", .string, doc) }

  private static func interval(_ arguments: Arguments) throws -> Int64 {
    do { return try Interval.milliseconds(of: arguments.string(1)) } catch {
      throw arguments.failure("argument 1: \(error.message)", hint: error.hint)
    }
  }
}

/// The options of `test.jobs`.
struct SimulationOptions: LuaOptions {
  var folder: String?
  var from = ""
  var zone: String?
  var run: LuaFunction?

  static let fields: [Field] = [
    .init("folder", \.folder, .string, "The folder of the jobs, from the folder of the test; . if not given.") {
      value, _ in value.path
    },
    .init(required: "from", \.from, "The time at which the clock begins, such as 2027-01-31 18:00."),
    .init("zone", \.zone, "The time zone of times that name none; UTC if not given."),
    .init(
      "run", \.run,
      "Stands for the scripts: called with each run that starts. The run takes the seconds that the function "
        + "returns, and an error of the function fails the run."),
  ]
}
