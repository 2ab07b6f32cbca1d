import Automation
import Core
import Files
import HostLoop
import JobProcesses
import JobServer
import Jobs
import LocalTenant
import LuaKit
import Permissions
import Schedule

extension Command {
  static let serve = Command(
    "serve", "run the jobs of a folder until SIGTERM",
    flags: JobsOptions.places + [
      Flag("--parallel N", "run at most N jobs at once; 4 if not given") { invocation, text in
        guard let count = Int(text ?? ""), (1...1000).contains(count) else {
          throw UsageError("--parallel: expected a number from 1 to 1000, got '\(text ?? "")'")
        }
        invocation.jobs.parallel = count
      },
      Flag("--drain TIME", "the time to wait at the end for running jobs: seconds, or 2m; 30s if not given") {
        $0.jobs.drain = try JobsOptions.seconds($1 ?? "", "--drain", in: 0...86400)
      },
      Flag("--keep DAYS", "keep the history of jobs that do not say how long; 30 if not given") {
        $0.jobs.keep = try JobsOptions.days($1 ?? "", "--keep", in: 0...36500)
      },
    ] + ServeOptions.flags,
    positions: [.init("[FOLDER]", "the folder with the scripts; jobs if not given")], limitsParts: true
  ) { invocation, console in
    var invocation = invocation
    invocation.jobs.folder = invocation.arguments.first
    let start = try ServeStart(invocation)
    let place = start.place
    let stores = try await ServedStores(invocation, place, console)
    let tenant = try invocation.startTenant(console)
    defer { tenant?.stop() }
    if let tenant { try invocation.pass(tenant, in: place.state.path) }
    var options = JobHost.Options(zone: try .local())
    (options.parallel, options.keep.days) = (invocation.jobs.parallel, invocation.jobs.keep)
    (options.folder, options.logs) = (place.state.path, place.state.logs)
    options.machine = stores.machine?.name
    let launcher = try invocation.scriptLauncher(folder: place.folder?.parentFolder ?? ".", logs: place.state.logs)
    let setup = JobService.Setup(
      folder: place.folder, state: place.state, lock: start.lock, stores: stores, launcher: launcher,
      scripts: invocation.jobFolder(place, launcher), options: options, drain: invocation.jobs.drain)
    try await JobService(setup, in: ServeHome(invocation, tenant, console)).run()
    return .done
  }
}

/// The state folder of a server, which it alone uses.
@HostActor
struct ServeStart {
  let place: JobsPlace
  let lock: StateLock

  init(_ invocation: Invocation) throws {
    guard invocation.configuration.session.grants == .init() else {
      throw UsageError(
        "serve: permissions belong to each job", hint: "b2c-run jobs allow NAME shows and records what a job needs")
    }
    place = try JobsPlace(invocation.jobs, hint: "b2c-run serve FOLDER serves another one")
    try place.state.make()
    lock = try StateLock(place.state)
  }
}
