import Databases
import HostLoop
import JSON
import JobConditions
import JobTables
import Schedule

@testable import Jobs

/// The clocks of one machine.
@HostActor
final class SimulatedClock: JobClock {
  private let epoch: Int64
  /// The milliseconds by which somebody has set the clock.
  var offset: Int64 = 0
  let longestWait: Int64? = nil

  init(epoch: Int64) { self.epoch = epoch }

  var now: Moment {
    let up = Int64(HostLoop.uptime * 1000)
    return Moment(wall: epoch + up + offset, sinceBoot: up, awake: up)
  }
}

/// A machine that serves jobs: the real host, the real membership and the real relay behind simulated doors.
@HostActor
final class SimulatedMachine {
  let name: String
  let clock: SimulatedClock
  private unowned let world: JobWorld
  /// Counts the starts.
  private var starts: Int64 = 0
  private(set) var boot = 1
  private(set) var host: JobHost?
  private(set) var session: DatabaseSession
  private var membership: Membership?
  var processes: [Int32: SimulatedProcess] = [:]

  /// True if the machine serves, and does not end.
  var isUp: Bool { host != nil && !session.isDead }
  /// The seconds of a lease, shorter than the longest outage.
  private static let lease = 10.0

  init(_ name: String, _ world: JobWorld) {
    (self.name, self.world) = (name, world)
    clock = SimulatedClock(epoch: JobWorld.epoch)
    session = DatabaseSession(name)
    session.isDead = true
  }

  private var isAlone: Bool { world.database.dialect == .sqlite }

  func start() async {
    guard session.isDead, host == nil else { return }
    starts += 1
    let session = DatabaseSession("\(name)/\(starts)")
    self.session = session
    session.kill = { [weak self, weak session] in
      guard let self, self.session === session else { return }
      kill("at a write")
      world.restart(self)
    }
    world.trace.log("\(session.name) starts")
    let store = JobStore(DatabaseDoor(world.database, session), seal: isAlone ? nil : JobWorld.seal)
    var options = JobHost.Options(zone: world.zone)
    options.forgets = false
    options.parallel = 20
    options.random = { [world] in HostActor.assumeIsolated { world.random.fraction() } }
    if !isAlone { options.machine = name }
    let launcher = SimulatedLauncher(self, session, world)
    let host = JobHost(store: store, launcher: launcher, clock: clock, options: options)
    launcher.host = host
    self.host = host
    host.watch { [weak self, world, session] in
      if case .message(_, let text) = $0 { world.trace.log("\(session.name): \(text)") }
      if case .reload = $0 { HostActor.task { await self?.reload() } }
    }
    if isAlone { await load(host, session) } else { await join(host, store, session) }
  }

  private func load(_ host: JobHost, _ session: DatabaseSession) async {
    do { try await host.load(world.definitions) } catch { world.trace.log("\(session.name) cannot load: \(error)") }
  }

  private func join(_ host: JobHost, _ store: JobStore, _ session: DatabaseSession) async {
    host.relay = JobRelay(store, machine: name, zone: world.zone, clock: clock)
    let machine = JobMachine(
      name: name, session: starts, folder: "\(name)/\(boot)", host: name, process: starts, version: "1")
    let membership = Membership(
      machine, host, lease: Self.lease, definitions: { [world] in world.definitions },
      digests: { [world] in
        Dictionary(world.definitions.map { ($0.name, $0.digest) }) { $1 }
      })
    self.membership = membership
    while !session.isDead {
      do {
        try await membership.join()
        membership.begin()
        return
      } catch {
        world.trace.log("\(session.name) cannot join: \(error)")
        try? await HostLoop.shared.sleep(seconds: 2)
      }
    }
  }

  func reload() async {
    guard isUp, let host else { return }
    guard host.isPlanning else {
      try? await membership?.jobsChanged()
      return
    }
    await load(host, session)
  }

  /// The host ends at once. Its processes get to know, and end some time later.
  func kill(_ how: String, isPowerCut: Bool = false) {
    guard isUp, let host else { return }
    world.trace.log("\(session.name) is killed \(how)")
    session.isDead = true
    let membership = membership
    (self.host, self.membership) = (nil, nil)
    // The tasks of what has ended end, too. No door lets anything out.
    host.end()
    host.drain?.cutOff()
    HostActor.task { await membership?.leave() }
    if isPowerCut { boot += 1 }
    for process in processes.values.sorted(by: { $0.identity.id < $1.identity.id }) { process.hostEnded(isPowerCut) }
  }

  /// A person stops the server. Another machine may plan meanwhile.
  func stop() async {
    guard isUp, let host else { return }
    let (session, membership) = (session, membership)
    world.trace.log("\(session.name) stops")
    await host.stop(drain: 30) { await membership?.handOver() ?? false }
    await membership?.leave()
    guard !session.isDead else { return }
    session.isDead = true
    if self.session === session { (self.host, self.membership) = (nil, nil) }
    world.trace.log("\(session.name) has stopped")
  }
}
