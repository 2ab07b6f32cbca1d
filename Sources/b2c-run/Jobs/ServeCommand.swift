import Accounts
import Automation
import Core
import Glibc
import HTTPServer
import HostLoop
import JSON
import JobWeb
import Jobs
import LocalTenant
import Lua
import LuaBindings
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
      Flag("--drain SECONDS", "at the end, wait so long for runs that go on; 30 if not given") { invocation, text in
        guard let seconds = Double(text ?? ""), seconds >= 0, seconds <= 86400 else {
          throw UsageError("--drain: expected a number of seconds from 0 to 86400, got '\(text ?? "")'")
        }
        invocation.jobs.drain = seconds
      },
      Flag("--keep DAYS", "keep the history of jobs that do not say how long; 30 if not given") { invocation, text in
        guard let days = Int(text ?? ""), (0...36500).contains(days) else {
          throw UsageError("--keep: expected a number of days from 0 to 36500, got '\(text ?? "")'")
        }
        invocation.jobs.keep = days
      },
    ] + ServeOptions.flags,
    positions: [.init("[FOLDER]", "the folder with the scripts; jobs if not given")], limitsParts: true
  ) { invocation, console in
    var invocation = invocation
    invocation.jobs.folder = invocation.arguments.first
    let start = try ServeStart(invocation)
    let stores = try await ServeStores(invocation, start.place, console)
    return try await JobServer(invocation, start, stores, console).run()
  }
}

/// The state folder of a server, which it alone uses.
@HostActor
struct ServeStart {
  let place: JobsPlace
  let lock: StateLock

  init(_ invocation: Invocation) throws {
    guard invocation.configuration.grants == .init() else {
      throw UsageError(
        "serve: permissions belong to each job", hint: "b2c-run jobs allow NAME shows and records what a job needs")
    }
    place = try JobsPlace(invocation.jobs, hint: "b2c-run serve FOLDER serves another one")
    try place.state.make()
    lock = try StateLock(place.state)
  }
}
