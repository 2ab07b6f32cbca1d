import Automation
import Core
import Glibc
import HostLoop
import JSON
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
    ],
    positions: [.init("[FOLDER]", "the folder with the scripts; jobs if not given")], limitsParts: true
  ) { invocation, console in
    var invocation = invocation
    invocation.jobs.folder = invocation.arguments.first
    return try await invocation.serve(console)
  }
}

extension Invocation {
  @HostActor
  fileprivate func serve(_ console: Console) async throws -> ExitStatus {
    guard configuration.grants == .init() else {
      throw UsageError(
        "serve: permissions belong to each job", hint: "b2c-run jobs allow NAME shows and records what a job needs")
    }
    let place = try JobsPlace(jobs)
    try place.state.make()
    let lock = try StateLock(place.state)
    defer { withExtendedLifetime(lock) {} }
    let store = try place.state.open()
    let launcher = try scriptLauncher(folder: place.folder?.parentFolder ?? ".", logs: place.state.logs)
    var options = JobHost.Options(zone: try .local())
    options.parallel = jobs.parallel
    options.folder = place.state.path
    let host = JobHost(store: store, launcher: launcher, clock: MachineClock(), options: options)
    launcher.host = host
    host.onMessage = { level, text in
      switch level {
      case .info: console.log(.info, text)
      case .warn: console.log(.warn, text)
      case .error: console.log(.error, text)
      }
    }
    let server = JobServer(host, jobFolder(place, launcher), console)
    return try await server.run(place, drain: jobs.drain)
  }
}

/// `b2c-run serve` between its start and its end.
@HostActor
private final class JobServer {
  private let host: JobHost
  private let folder: JobFolder
  private let files: FileWatch
  private let console: Console
  private let stopped = CancellableWait<Void>()
  private var isStopping = false
  private var isLoading = false

  init(_ host: JobHost, _ folder: JobFolder, _ console: Console) {
    self.host = host
    files = FileWatch(host)
    self.folder = folder
    self.console = console
  }

  func run(_ place: JobsPlace, drain: Double) async throws -> ExitStatus {
    let control = try ControlServer(at: place.state.socket) { [host] in try await JobCommands(host).answer($0) }
    defer { control.close() }
    let clock = ClockWatch { [host] in host.lookAtClock() }
    defer { clock?.close() }
    defer { files.close() }
    Interrupts.pass(to: { number in HostActor.task { self.received(number) } })
    defer { Interrupts.pass(to: nil) }
    host.onChange = { [console] run in
      guard let line = run.logLine else { return }
      console.log(line.level, line.text)
    }
    try await load()
    console.log(.info, "serving the jobs of \(folder.path); the state is in \(place.state.path)")
    try await stopped.value()
    console.log(.info, "stopping")
    await host.stop(drain: drain)
    return .done
  }

  private func received(_ number: Int32) {
    switch number {
    case SIGHUP: HostActor.task { await self.reload() }
    case _ where isStopping: host.stopNow()
    default:
      isStopping = true
      stopped.finish(.success(()))
    }
  }

  private func load() async throws {
    let definitions = try await folder.definitions()
    if definitions.isEmpty { console.log(.warn, "there are no jobs in \(folder.path)") }
    try await take(definitions)
  }

  private func take(_ definitions: [JobDefinition]) async throws {
    try await host.load(definitions)
    files.load()
  }

  private func reload() async {
    guard !isLoading else { return }
    isLoading = true
    defer { isLoading = false }
    do {
      let definitions = try await folder.definitions()
      let broken = definitions.filter { $0.trouble != nil }
      guard broken.isEmpty else {
        for definition in broken { console.log(.error, "the job \(definition.name): \(definition.trouble ?? "")") }
        return console.log(.error, "the jobs stay as they were: correct the scripts, and send SIGHUP again")
      }
      try await take(definitions)
      console.log(.info, "read \(definitions.count) jobs again")
    } catch { console.log(.error, "the jobs stay as they were: \(error)") }
  }
}

extension RunRecord {
  /// The change of a run as a log shows it; nil for changes that nobody needs to see.
  fileprivate var logLine: (level: Console.Level, text: String)? {
    let name = "\(job) run \(id)"
    switch state {
    case .started where progress == nil:
      return (.info, "\(name): started" + (attempt > 1 ? ", attempt \(attempt)" : ""))
    case .ok: return (.info, "\(name): ok\(length)")
    case .failed, .timedOut, .interrupted:
      let place = error?.place.map { "\($0): " } ?? ""
      return (.error, "\(name): \(state.rawValue)\(length): \(place)\(error?.message ?? reason ?? "")")
    case .retry: return (.warn, "\(name): failed, and is tried again at \(moment(wake)): \(error?.message ?? "")")
    case .canceled: return (.warn, "\(name): canceled: \(reason ?? "")")
    case .asleep: return (.info, "\(name): asleep until \(moment(wake))")
    case .waiting: return (.info, "\(name): waits for \(reason ?? "a request")")
    case .skipped:
      let what = due == nil ? "an event of the kind \(kind)" : "what was due at \(moment(due))"
      return (.warn, "\(job): skipped \(what): \(reason ?? "")")
    default: return nil
    }
  }

  private var length: String {
    guard let started, let ended else { return "" }
    return " after \(Double(max(0, ended - started)) / 1000) s"
  }

  private func moment(_ time: Int64?) -> String {
    UnixTime(Double(time ?? 0) / 1000).text("%Y-%m-%d %H:%M:%S", inLocalTime: true)
  }
}
