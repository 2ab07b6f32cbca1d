package import Automation
package import CommandLine
import Core
import Files
import HostLoop
import JobProcesses
import JobServer
import Jobs
import LocalTenant
import Permissions
import Schedule

/// `b2c-run serve`
package struct ServeCommand: Command {
  package static let form = CommandForm(
    "serve", "run the jobs of a folder until SIGTERM",
    positions: [.init("[FOLDER]", "the folder with the scripts; jobs if not given")], limitsParts: true)

  package static let flags: [Flag<Self>] = [
    Flag("--state DIR", "keep the state of the jobs in the folder DIR", \.state),
    Flag("--parallel N", "run at most N jobs at once; 4 if not given") { command, text in
      guard let count = Int(text ?? ""), (1...1000).contains(count) else {
        throw UsageError("--parallel: expected a number from 1 to 1000, got '\(text ?? "")'")
      }
      command.parallel = count
    },
    Flag("--drain TIME", "the time to wait at the end for running jobs: seconds, or 2m; 30s if not given") {
      $0.drain = try OptionTime.seconds($1 ?? "", "--drain", in: 0...86400)
    },
    Flag("--keep DAYS", "keep the history of jobs that do not say how long; 30 if not given") {
      $0.keep = try OptionTime.days($1 ?? "", "--keep", in: 0...36500)
    },
    Flag("--listen ADDRESS", "show the jobs on pages at ADDRESS, such as 8080", \.listeners.pages),
    Flag("--sign-in FILE", "people sign in to the pages with the application in the settings FILE", \.signIn.settings),
    Flag("--allow-subject SUBJECT", "the person or program with this subject (sub) may use the pages; can occur again")
    { command, text in
      command.signIn.subjects.append(text ?? "")
    },
    Flag("--hooks ADDRESS", "receive webhooks at ADDRESS, such as 127.0.0.1:9000", \.listeners.hooks),
    Flag(
      "--certificate FILE", "the certificate of --hooks and --listen, in PEM, with its chain", \.listeners.certificate),
    Flag("--key FILE", "the private key of the certificate, in PEM", \.listeners.key),
    Flag("--behind-proxy", "a proxy in front of --hooks and --listen has the TLS", \.listeners.isBehindProxy),
  ]

  private var state: String?
  /// The runs at once.
  private var parallel = 4
  /// The seconds that runs have to end when the server stops.
  private var drain = 30.0
  /// The days of history of jobs that do not say how long.
  private var keep = 30
  private var listeners = ServeListeners()
  private var signIn = ServeSignIn()

  package init() {}

  package func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    var run = run
    let start = try ServeStart(run, folder: words.first, state: state)
    let place = start.place
    let stores = try await ServedStores(run, place, console)
    let tenant = try run.startTenant(console)
    defer { tenant?.stop() }
    if let tenant { try run.pass(tenant, in: place.state.path) }
    var options = JobHost.Options(zone: try .local())
    (options.parallel, options.keep.days) = (parallel, keep)
    (options.folder, options.logs) = (place.state.path, place.state.logs)
    options.machine = stores.machine?.name
    let launcher = ScriptLauncher(run.scriptProgram(folder: place.folder?.parentFolder ?? ".", logs: place.state.logs))
    let setup = JobService.Setup(
      folder: place.folder, state: place.state, lock: start.lock, stores: stores, launcher: launcher,
      scripts: run.jobFolder(place, launcher), options: options, drain: drain)
    let home = ServeHome(run.session, listeners, signIn, tenant, console)
    home.tellMissingSettings()
    try await JobService(setup, in: home).run()
    return .done
  }
}

/// The state folder of a server, which it alone uses.
@HostActor
struct ServeStart {
  let place: JobsPlace
  let lock: StateLock

  init(_ run: RunOptions, folder: String?, state: String?) throws {
    guard run.session.grants == .init() else {
      throw UsageError(
        "serve: permissions belong to each job", hint: "b2c-run jobs allow NAME shows and records what a job needs")
    }
    place = try JobsPlace(folder, state: state, hint: "b2c-run serve FOLDER serves another one")
    try place.state.make()
    lock = try StateLock(place.state)
  }
}
