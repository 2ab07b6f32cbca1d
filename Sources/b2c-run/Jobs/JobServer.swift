import Automation
import Core
import Files
import Glibc
import HTTPServer
import HostLoop
import JSON
import JobWeb
import Jobs
import LocalTenant
import LuaBindings
import Permissions
import Schedule

/// `b2c-run serve` from its start to its end.
@HostActor
final class JobServer {
  private let place: JobsPlace
  private let options: ServeOptions
  private let drain: Double
  private let console: Console
  private let lock: StateLock
  /// Nil where there is only one machine.
  private let membership: Membership?
  private let host: JobHost
  private let folder: JobFolder
  private let files: FileWatch
  private var logLimit: LogLimit?
  private let receiver: HookReceiver
  private let pages: PageParts
  private let zone: Zone
  private let manager = ServiceManager()
  private let tenant: LocalTenant?
  private let stopped = CancellableWait<Void>()
  private var isStopping = false
  private var zoneTimer: TimerQueue.ID?
  private var secretTimer: TimerQueue.ID?
  /// The problems of webhooks that were told, by the names of the jobs.
  private var secretProblems: [String: [String]] = [:]
  private var reading = Reading.none
  private var takesHooks = false

  /// The jobs are being read. A script that has been read already may change meanwhile: then they are read again.
  private enum Reading { case none, once, again }

  init(_ given: Invocation, _ start: ServeStart, _ stores: ServeStores, _ console: Console) throws {
    var invocation = given
    self.console = console
    options = invocation.serve
    drain = invocation.jobs.drain
    (place, lock) = (start.place, start.lock)
    tenant = try invocation.startTenant(console)
    if let tenant { try invocation.pass(tenant, in: place.state.path) }
    zone = try .local()
    let launcher = try invocation.scriptLauncher(folder: place.folder?.parentFolder ?? ".", logs: place.state.logs)
    var options = JobHost.Options(zone: zone)
    options.parallel = invocation.jobs.parallel
    options.folder = place.state.path
    options.logs = place.state.logs
    options.keep.days = invocation.jobs.keep
    options.machine = stores.machine?.name
    host = JobHost(
      store: stores.turns, reading: stores.reading, launcher: launcher, clock: MachineClock(), options: options)
    launcher.host = host
    let folder = invocation.jobFolder(place, launcher)
    self.folder = folder
    if let machine = stores.machine {
      host.relay = JobRelay(host.store, machine: machine.name, zone: zone)
      try place.state.note(machine: machine.name)
      membership = Membership(
        machine, host, lease: stores.lease, definitions: { try await folder.definitions() },
        digests: { try folder.digests() })
    } else {
      membership = nil
    }
    let secrets = KeptSecrets(invocation.configuration, console)
    receiver = HookReceiver(host, digests: stores.digests) { try await secrets.secret($0) }
    let pages = PageParts(invocation, tenant, console)
    self.pages = pages
    // Patterns of files begin at the folder that has the folder of the jobs in it, as for the runs.
    let base = place.folder.map { Array($0.parentFolder.utf8) } ?? ResolvedPath.currentFolder
    files = FileWatch(host) { pages.rules(granting: $0, from: base) }
  }

  func run() async throws -> ExitStatus {
    // Patterns of files begin at the folder that has the folder of the jobs in it, as for the runs.
    if let folder = place.folder { _ = folder.parentFolder.withPath { chdir($0) } }
    watchHost()
    defer {
      files.close()
      tenant?.stop()
    }
    let control = try ControlServer(at: place.state.socket) { [host, files] command in
      let reply = try await host.desk.answer(command)
      // A new permission takes effect at once.
      if case .allow = command { files.load() }
      return reply
    }
    defer { control.close() }
    try await membership?.join()
    let clock = ClockWatch { [host] in host.lookAtClock() }
    defer { clock?.close() }
    let servers = try listen()
    defer { for server in servers { server.stop() } }
    Interrupts.pass(to: { number in HostActor.task { self.received(number) } })
    defer { Interrupts.pass(to: nil) }
    if try JobFolder.names(in: folder.path).isEmpty { console.log(.warn, "there are no jobs in \(folder.path)") }
    let loading = membership == nil ? HostActor.task { await self.begin() } : nil
    if let membership { serve(as: membership) }
    try await stopped.value()
    loading?.cancel()
    manager.stopping()
    let running = host.namesOfRunning
    let wait = running.isEmpty ? "" : "; waits up to \(UnixTime.span(drain)) for \(running.joined(separator: ", "))"
    console.log(.info, "stopping\(wait)")
    await host.stop(drain: drain) { [membership] in await membership?.handOver() ?? false }
    await membership?.leave()
    // Whoever waited for the jobs hears of the end.
    for _ in 0..<50 where control.pending + receiver.pending > 0 { try await HostLoop.shared.sleep(seconds: 0.02) }
    return .done
  }

  /// Reads the jobs, and begins. An error ends the server.
  private func begin() async {
    reading = .once
    let progress = LoadProgress(host, manager, console)
    do {
      let definitions = try await folder.definitions { progress.note($0, of: $1) }
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
      console.log(.warn, "this kernel has no Landlock: only the program itself holds the runs to what is allowed")
    }
    watchZones()
    let shared = membership == nil ? "" : ", those of all machines in \(host.store.place)"
    console.log(.info, "serving the jobs of \(folder.path); the state is in \(place.state.path)\(shared)")
    manager.ready()
  }

  private func watchHost() {
    let logs = LogArchive(place.state.logs)
    host.watch { [weak self, console, manager] news in
      switch news {
      case .message(.info, let text): console.log(.info, text)
      case .message(.warn, let text): console.log(.warn, text)
      case .message(.error, let text): console.log(.error, text)
      case .run(let run):
        if let line = run.logLine { console.log(line.level, line.text) }
        if !run.state.isOpen { logs.compress(run.id) }
      case .removed(let run): logs.remove(run)
      case .condition(let condition): manager.status(condition.text)
      case .planning: HostActor.task { await self?.taken() }
      case .standingBy: self?.files.load()
      }
    }
    logLimit = LogLimit(host, place.state.logs)
  }

  /// Computes the due times anew when a new version of the time zones is installed.
  private func watchZones() {
    guard !isStopping else { return }
    zoneTimer = HostLoop.shared.schedule(after: 600) { [weak self] in
      guard let self else { return }
      if host.zones.contains(where: \.hasChanged) {
        console.log(.info, "the time zones have changed")
        HostActor.task { await self.reload() }
      }
      watchZones()
    }
  }

  private func listen() throws -> [HTTPServer] {
    let sockets = manager.takeSockets()
    var servers: [HTTPServer] = []
    let hooks = try options.receiver(sockets)
    takesHooks = hooks != nil
    if let hooks {
      let server = try HTTPServer(on: hooks, handler: receiver.handle)
      console.log(.info, "receiving webhooks at port \(server.port)")
      servers.append(server)
    }
    let signIn = try pages.signIn(options)
    if let listener = try options.pages(sockets, isSecure: signIn?.isSecure) {
      let web = JobWebServer(
        host, place.state, zone: zone, hooks: hooks == nil ? nil : receiver, signIn: signIn, accounts: pages.accounts)
      let server = try HTTPServer(on: listener, handler: web.handle)
      let address = "\(listener.isSecure ? "https" : "http")://localhost:\(server.port)/"
      console.log(.info, "the jobs are at \(signIn?.address ?? address)")
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

  /// Plans the jobs when no other machine does.
  private func serve(as membership: Membership) {
    host.noteCondition()
    membership.begin()
    serves()
  }

  private func take(_ definitions: [JobDefinition]) async throws {
    try await host.load(definitions)
    await taken()
  }

  /// The jobs have been loaded.
  private func taken() async {
    files.load()
    guard ((try? await host.desk.hooks()) ?? []).isEmpty == false else { return }
    if !takesHooks { console.log(.warn, "some jobs wait for webhooks, but --hooks names no address") }
    await checkSecrets()
  }

  /// The seconds after which the secrets of webhooks are looked up again.
  private static let pauseOfSecrets = 30.0

  /// Tells of paths that take no requests, and notes it for those who look at their jobs.
  private func checkSecrets() async {
    if let secretTimer { HostLoop.shared.cancel(secretTimer) }
    secretTimer = nil
    guard !isStopping, host.isPlanning else { return }
    do {
      let problems = try await receiver.pathsWithoutSecrets()
      for (job, texts) in problems.sorted(by: { $0.key < $1.key }) {
        for text in texts where secretProblems[job]?.contains(text) != true {
          console.log(.error, "the job \(job): \(text)")
        }
      }
      secretProblems = problems
      try await host.perform { try await $0.warn(problems) }
    } catch {
      // The next look tells, and so does each request.
      host.noteOutage(error)
    }
    secretTimer = HostLoop.shared.schedule(after: Self.pauseOfSecrets) { [weak self] in
      HostActor.task { await self?.checkSecrets() }
    }
  }

  private func reload() async {
    guard reading == .none else {
      reading = .again
      return
    }
    manager.reloading()
    repeat {
      reading = .once
      await readAgain()
    } while reading == .again
    reading = .none
    manager.ready()
  }

  private func readAgain() async {
    do {
      let definitions = try await folder.definitions()
      let broken = definitions.filter { $0.trouble != nil }
      guard broken.isEmpty else {
        for definition in broken { console.log(.error, "the job \(definition.name): \(definition.trouble ?? "")") }
        return console.log(.error, "the jobs stay as they were: correct the scripts, and send SIGHUP again")
      }
      // A machine that stands by takes them over when it plans.
      let count = "\(definitions.count) \(definitions.count == 1 ? "job" : "jobs")"
      guard host.isPlanning else {
        console.log(.info, "this machine stands by, and runs its \(count) only when it plans")
        try await membership?.jobsChanged()
        return
      }
      try await take(definitions)
      console.log(.info, "read \(count) again")
    } catch { console.log(.error, "the jobs stay as they were: \(error)") }
  }
}
