import Core
import Files
import Glibc
import HTTPServer
package import HostLoop
import JobConditions
package import JobProcesses
package import Jobs
import Permissions
import Schedule

/// `b2c-run serve` from its start to its end.
@HostActor
package final class JobService {
  private let setup: Setup
  private let home: any ServerHome
  private let host: JobHost
  /// Nil where there is only one machine.
  private let membership: Membership?
  private let files: FileWatch
  private let logLimit: LogLimit
  private let receiver: HookReceiver
  private let secrets: HookSecrets
  private let manager = ServiceManager()
  private let stopped = CancellableWait<Void>()
  private var isStopping = false
  private var reading = Reading.none

  /// The jobs are being read. A script that has been read already may change meanwhile: then they are read again.
  private enum Reading { case none, once, again }

  /// The jobs that a server serves, and the place of their state.
  package struct Setup {
    /// The absolute path of the folder with the scripts; nil if there is none.
    let folder: String?
    let state: StateFolder
    let lock: StateLock
    let stores: ServedStores
    let launcher: ScriptLauncher
    let scripts: JobFolder
    let options: JobHost.Options
    /// The seconds that runs have to end when the server stops.
    let drain: Double

    package init(
      folder: String?, state: StateFolder, lock: StateLock, stores: ServedStores, launcher: ScriptLauncher,
      scripts: JobFolder, options: JobHost.Options, drain: Double
    ) {
      (self.folder, self.state, self.lock, self.stores) = (folder, state, lock, stores)
      (self.launcher, self.scripts, self.options, self.drain) = (launcher, scripts, options, drain)
    }
  }

  package init(_ setup: Setup, in home: any ServerHome) throws {
    (self.setup, self.home) = (setup, home)
    let (stores, scripts) = (setup.stores, setup.scripts)
    let host = JobHost(
      store: stores.turns, reading: stores.reading, launcher: setup.launcher, clock: MachineClock(),
      options: setup.options)
    self.host = host
    setup.launcher.host = host
    if let machine = stores.machine {
      host.relay = JobRelay(host.store, machine: machine.name, zone: setup.options.zone)
      try setup.state.note(machine: machine.name)
      membership = Membership(
        machine, host, lease: stores.lease, definitions: { try await scripts.definitions() },
        digests: { try scripts.digests() })
    } else {
      membership = nil
    }
    receiver = HookReceiver(host, digests: stores.digests) { try await home.secret($0) }
    secrets = HookSecrets(host, receiver) { home.log($0, $1) }
    // Patterns of files begin at the folder that has the folder of the jobs in it, as for the runs.
    let base = setup.folder.map { Array($0.parentFolder.utf8) } ?? ResolvedPath.currentFolder
    files = FileWatch(host) { home.rules(granting: $0, from: base) }
    logLimit = LogLimit(host, setup.state.logs)
  }

  /// Serves until a signal ends the server.
  package func run() async throws {
    // Patterns of files begin at the folder that has the folder of the jobs in it, as for the runs.
    if let folder = setup.folder { _ = folder.parentFolder.withPath { chdir($0) } }
    watchHost()
    defer { files.close() }
    let looked: @HostActor () async -> Void = { [secrets] in await secrets.checkMissing() }
    let control = try ControlServer(at: setup.state.socket, looked: looked) { [weak self, host, files] command in
      if case .reload = command, host.isPlanning, let self { return await self.reloadNow() }
      let reply = try await host.desk.answer(command)
      // A new permission takes effect at once.
      if case .allow = command { files.load() }
      return reply
    }
    defer { control.close() }
    try await membership?.join()
    let clock = ClockWatch { [host] in host.lookAtClock() }
    defer { clock?.close() }
    let health = Health(host)
    health.watch()
    let servers = try listen(health)
    defer { for server in servers { server.stop() } }
    home.passSignals { number in HostActor.task { self.received(number) } }
    defer { home.passSignals(to: nil) }
    let folder = setup.scripts.path
    if try JobFolder.names(in: folder).isEmpty { home.log(.warn, "there are no jobs in \(folder)") }
    let loading = membership == nil ? HostActor.task { await self.begin() } : nil
    if let membership {
      // It plans the jobs when no other machine does.
      host.noteCondition()
      membership.begin()
      serves()
    }
    try await stopped.value()
    loading?.cancel()
    manager.stopping()
    let running = host.namesOfRunning
    let wait =
      running.isEmpty ? "" : "; waits up to \(UnixTime.span(setup.drain)) for \(running.joined(separator: ", "))"
    home.log(.info, "stopping\(wait)")
    await host.stop(drain: setup.drain) { [membership] in await membership?.handOver() ?? false }
    await membership?.leave()
    // Whoever waited for the jobs hears of the end.
    for _ in 0..<50 where control.pending + receiver.pending > 0 { try await HostLoop.shared.sleep(seconds: 0.02) }
  }

  /// Reads the jobs, and begins. An error ends the server.
  private func begin() async {
    reading = .once
    let progress = LoadProgress(host, manager) { [home] in home.log(.info, $0) }
    do {
      let definitions = try await setup.scripts.definitions { progress.note($0, of: $1) }
      guard !isStopping else { return }
      try await take(definitions)
      progress.end()
      let isStale = reading == .again
      reading = .none
      serves()
      if isStale { await reload() }
    } catch {
      progress.end()
      if !isStopping { stopped.finish(.failure(error)) }
    }
  }

  /// This machine takes what comes.
  private func serves() {
    if !KernelSandbox.isAvailable {
      home.log(.warn, "this kernel has no Landlock: only the program itself holds the runs to what is allowed")
    }
    watchZones()
    let shared = membership == nil ? "" : ", those of all machines in \(host.store.place)"
    home.log(.info, "serving the jobs of \(setup.scripts.path); the state is in \(setup.state.path)\(shared)")
    manager.ready()
  }

  private func watchHost() {
    let logs = LogArchive(setup.state.logs)
    let post = NoticePost(host)
    host.watch { [weak self, home, manager] news in
      switch news {
      case .message(let level, let text): home.log(level, text)
      case .run(let run):
        if let line = run.logLine { home.log(line.level, line.text) }
        if !run.state.isOpen { logs.compress(run.id) }
      case .removed(let run): logs.remove(run)
      case .condition(let condition):
        manager.status(condition.text)
        if condition.isReady { post.look() }
      case .notices: post.look()
      case .reload: HostActor.task { await self?.reload() }
      case .planning: HostActor.task { await self?.taken() }
      case .standingBy: self?.files.load()
      }
    }
  }

  /// Computes the due times anew when a new version of the time zones is installed.
  private func watchZones() {
    guard !isStopping else { return }
    _ = HostLoop.shared.schedule(after: 600) { [weak self] in
      guard let self else { return }
      if host.zones.contains(where: \.hasChanged) {
        home.log(.info, "the time zones have changed")
        HostActor.task { await self.reload() }
      }
      watchZones()
    }
  }

  private func listen(_ health: Health) throws -> [HTTPServer] {
    let sockets = manager.takeSockets()
    var servers: [HTTPServer] = []
    let hooks = try home.hookListener(sockets)
    secrets.takesRequests = hooks != nil
    if let hooks {
      let server = try HTTPServer(on: hooks, handler: receiver.handle)
      home.log(.info, "receiving webhooks at port \(server.port)")
      servers.append(server)
    }
    let signIn = try home.signIn()
    if let listener = try home.pageListener(sockets, isSecure: signIn?.isSecure) {
      let web = JobWebServer(
        host, setup.state, zone: setup.options.zone, hooks: hooks == nil ? nil : receiver, signIn: signIn,
        health: health, accounts: { [home] in try await home.accounts() })
      let server = try HTTPServer(on: listener, handler: web.handle)
      let address = "\(listener.isSecure ? "https" : "http")://localhost:\(server.port)/"
      home.log(.info, "the jobs are at \(signIn?.address ?? address)")
      servers.append(server)
    }
    return servers
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

  private func take(_ definitions: [JobDefinition]) async throws {
    try await host.load(definitions)
    await taken()
  }

  /// The jobs have been loaded.
  private func taken() async {
    files.load()
    await secrets.check()
  }

  /// Reads the scripts again. Returns what came of it.
  private func reloadNow() async -> CommandReply {
    var reply = CommandReply()
    guard reading == .none else {
      reading = .again
      reply.note = "the server reads the scripts already, and reads them once more"
      return reply
    }
    manager.reloading()
    reading = .once
    reply.note = await readAgain()
    let isStale = reading == .again
    reading = .none
    manager.ready()
    if isStale { HostActor.task { await self.reload() } }
    return reply
  }

  private func reload() async {
    guard reading == .none else {
      reading = .again
      return
    }
    manager.reloading()
    repeat {
      reading = .once
      _ = await readAgain()
    } while reading == .again
    reading = .none
    manager.ready()
  }

  /// Returns the sentence about it.
  private func readAgain() async -> String {
    do {
      let definitions = try await setup.scripts.definitions()
      let broken = definitions.count { $0.trouble != nil }
      // A machine that stands by takes them over when it plans.
      let count = "\(definitions.count) \(definitions.count == 1 ? "job" : "jobs")"
      guard host.isPlanning else {
        let text = "this machine stands by, and runs its \(count) only when it plans"
        home.log(.info, text)
        try await membership?.jobsChanged()
        return text
      }
      try await take(definitions)
      let text = "read \(count) again\(broken == 0 ? "" : "; \(broken) of them cannot run")"
      home.log(.info, text)
      return text
    } catch {
      let text = "the jobs stay as they were: \(error)"
      home.log(.error, text)
      return text
    }
  }
}
