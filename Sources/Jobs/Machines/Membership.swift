import Core
package import HostLoop
import Storage

/// This machine among those that serve one database. It says that it is alive, takes the right to plan when no other machine
/// has it, and stands by when another one has.
@HostActor
package final class Membership {
  /// The clock of the machine and that of the database may be so many seconds apart.
  private static let mostApart = 60.0
  private let host: JobHost
  private let store: JobStore
  private let lease: Double
  private let clock = MachineClock()
  private var machine: JobMachine
  private var held: Lease?
  /// The last change of the right to plan that this machine has seen, with the time since the boot in milliseconds.
  private var seen: (sight: JobStore.Sight, at: Int64)?
  private var nextBeat = 0.0
  private var isApart = false
  private var task: Task<Void, any Error>?
  /// The last problem that was told.
  private var problem: String?
  private let definitions: @HostActor () async throws -> [JobDefinition]

  /// - Parameters:
  ///   - lease: the seconds after which a machine that says nothing is dead.
  ///   - definitions: reads the jobs of this machine.
  package init(
    _ machine: JobMachine, _ host: JobHost, lease: Double,
    definitions: @escaping @HostActor () async throws -> [JobDefinition]
  ) {
    self.machine = machine
    self.host = host
    self.lease = lease
    self.definitions = definitions
    store = host.store
  }

  package nonisolated static let usualLease = 30.0

  /// Adds this machine to those that serve. A machine with the same state folder on another boot of its host has ended, or
  /// one of the two is a copy: it is waited for until it must have said that it is alive. Throws `machine_in_use` if another
  /// one has the name.
  package func join() async throws {
    guard try await !add() else { return }
    let other = try await store.machine(machine.name)
    let rest = try await rest(of: other)
    if let other, other.sharesFolder(with: machine), rest <= Int64(lease.rounded(.up)) {
      host.onMessage?(
        .info,
        "a machine with this name and state folder served on \(other.host); waiting \(rest) s, to see whether it has ended"
      )
      try await HostLoop.shared.sleep(seconds: Double(rest))
      guard try await !add() else { return }
    }
    throw try await inUse(try await store.machine(machine.name))
  }

  /// Returns false if another machine has the name.
  private func add() async throws -> Bool {
    let (machine, lease) = (machine, lease)
    return try await store.transaction { try await $0.join(machine, seconds: lease) }
  }

  /// The whole seconds after which a machine is dead that says nothing more.
  private func rest(of other: JobMachine?) async throws -> Int64 {
    guard let other else { return 1 }
    return max(1, Int64((other.until - (try await store.sight().now)).rounded(.up)))
  }

  private func inUse(_ other: JobMachine?) async throws -> JobError {
    let place = other.map { " on \($0.host) in process \($0.process)" } ?? ""
    let wait = other == nil ? "" : "; if it has ended, wait \(try await rest(of: other)) s"
    return JobError(
      "machine_in_use", "a machine named \(machine.name) serves \(store.place) already,\(place)",
      hint: "give this one another name: serve --machine NAME\(wait)")
  }

  /// Begins to look at the other machines.
  package func begin() {
    task = HostActor.task { [weak self] in
      while !Task.isCancelled, let self {
        let pause = await step()
        try await HostLoop.shared.sleep(seconds: pause)
      }
    }
  }

  /// Ends, and lets another machine plan at once.
  package func leave() async {
    task?.cancel()
    task = nil
    // A database that is away needs no farewell: the others find out by the time.
    guard host.outage.error == nil else { return }
    let machine = machine
    do { try await store.transaction { try await $0.leave(machine) } } catch { host.noteOutage(error) }
  }

  /// Returns the seconds until the next look.
  private func step() async -> Double {
    do {
      let sight = try await store.sight()
      compareClocks(sight)
      if nextBeat <= HostLoop.uptime {
        try await beat()
        host.noteBack()
      }
      if let held { look(sight, held) } else { try await standBy(sight) }
      return min(0.5, lease / 20)
    } catch is CancellationError { return 0 } catch {
      // While nobody can say that it is alive, its silence says nothing.
      seen = nil
      nextBeat = 0
      if !host.noteOutage(error) { tell("\(error)") }
      return max(0.5, host.outage.pause)
    }
  }

  private func beat() async throws {
    (machine.running, machine.queued) = host.load
    guard try await store.beat(machine, seconds: lease) else {
      // It was taken for dead for so long that another process took its name, or that it was forgotten.
      host.standBy()
      held = nil
      try await join()
      return
    }
    if let held {
      guard try await store.keep(held, seconds: lease) else { return fenced() }
      try await store.removeOldMachines()
    }
    nextBeat = HostLoop.uptime + lease / 3
  }

  private func look(_ sight: JobStore.Sight, _ held: Lease) {
    guard sight.owner == held.owner, sight.epoch == held.epoch, host.isPlanning else { return fenced() }
    if sight.hasMessages { host.lookAtClock() }
  }

  /// Another machine has taken the right to plan: this one was away for too long.
  private func fenced() {
    held = nil
    seen = nil
    host.onMessage?(.warn, "another machine plans the jobs now; this one ends its runs and stands by")
    host.standBy()
  }

  /// Takes the right to plan when it has ended by the clock of the database, and when this machine has itself seen no sign
  /// of its holder for as long: the clock of a database may be set.
  private func standBy(_ sight: JobStore.Sight) async throws {
    let now = clock.now.sinceBoot
    if seen?.sight.epoch != sight.epoch || seen?.sight.until != sight.until { seen = (sight, now) }
    guard sight.until <= sight.now, let seen else { return }
    guard sight.until == 0 || Double(now - seen.at) >= lease * 1000 else { return }
    guard let definitions = await readDefinitions(),
      let taken = try await store.takeLease(machine.owner, seconds: lease)
    else { return }
    held = taken
    nextBeat = HostLoop.uptime + lease / 3
    host.plan(by: taken, seconds: lease, definitions)
  }

  private func readDefinitions() async -> [JobDefinition]? {
    do { return try await definitions() } catch {
      tell("this machine cannot plan: \(error)")
      return nil
    }
  }

  /// Tells of a problem, once as long as it stays the same.
  private func tell(_ text: String) {
    if problem != text { host.onMessage?(.error, text) }
    problem = text
  }

  private func compareClocks(_ sight: JobStore.Sight) {
    let difference = Double(clock.now.wall) / 1000 - sight.now
    guard (abs(difference) > Self.mostApart) != isApart else { return }
    isApart.toggle()
    host.onMessage?(
      isApart ? .warn : .info,
      isApart
        ? "the clock of this machine is \(Int(abs(difference).rounded())) s \(difference > 0 ? "ahead of" : "behind") that of the "
          + "database: what is due comes at the wrong time; set the clock"
        : "the clock of this machine is right again")
  }
}
