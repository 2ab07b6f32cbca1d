import Core
import Databases
package import HostLoop
import JobConditions

/// This machine among those that serve one database. It says that it is alive, takes the right to plan when no other machine
/// has it, and stands by when another one has.
@HostActor
package final class Membership {
  /// The clock of the machine and that of the database may be so many seconds apart.
  private static let mostApart = 60.0
  private let host: JobHost
  private let lease: Double
  private let jobs: OwnJobs
  private var machine: JobMachine
  private var held: Lease?
  private var others = OtherPlanner()
  private var told = ToldOfMachines()
  private var ending = Ending.none
  /// True while a look goes on.
  private var isLooking = false
  private var nextBeat = 0.0
  private var task: Task<Void, any Error>?

  /// The end of a machine whose runs go on.
  private enum Ending {
    case none
    /// This machine gives the right to plan away.
    case handingOver
    /// Another machine plans, and the runs of this one go on.
    case draining
  }

  private var store: JobStore { host.store }
  private var clock: any JobClock { host.clock }

  /// - Parameters:
  ///   - lease: the seconds after which a machine that says nothing is dead.
  ///   - definitions: reads the jobs of this machine.
  ///   - digests: reads the digests of their scripts, by the names of the jobs.
  package init(
    _ machine: JobMachine, _ host: JobHost, lease: Double,
    definitions: @escaping @HostActor () async throws -> [JobDefinition],
    digests: @escaping @HostActor () throws -> [String: String]
  ) {
    self.machine = machine
    self.host = host
    self.lease = lease
    jobs = OwnJobs(definitions, digests)
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
      host.log(
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

  /// Lets another machine plan while the runs of this one go on to their end. Returns false if no other machine can.
  package func handOver() async -> Bool {
    guard let held, host.trouble.outage.error == nil else { return false }
    ending = .handingOver
    defer { if ending == .handingOver { ending = .none } }
    for _ in 0..<100 where isLooking { try? await HostLoop.shared.sleep(seconds: 0.02) }
    guard !isLooking else { return false }
    let machine = machine
    do {
      let others = try await store.machines().filter { $0.isAlive && !$0.isDraining && $0.name != machine.name }
      guard !others.isEmpty else { return false }
    } catch {
      host.noteOutage(error)
      return false
    }
    let isDraining = await host.handOver(as: machine) { [store, lease] messages in
      try await store.transaction { store in
        guard try await store.keep(held, seconds: lease) else { throw JobError.fenced }
        try await store.drain(machine)
        for message in messages { try await store.send(message) }
        try await store.release(machine)
      }
    }
    if isDraining { (self.held, ending) = (nil, .draining) }
    return isDraining
  }

  /// Ends, and lets another machine plan at once.
  package func leave() async {
    task?.cancel()
    task = nil
    // A database that is away needs no farewell: the others find out by the time.
    guard host.trouble.outage.error == nil else { return }
    let machine = machine
    do { try await store.transaction { try await $0.leave(machine) } } catch { host.noteOutage(error) }
  }

  /// Returns the seconds until the next look.
  private func step() async -> Double {
    guard ending != .handingOver, !isLooking else { return 0.05 }
    isLooking = true
    defer { isLooking = false }
    do {
      let sight = try await store.sight()
      compareClocks(sight)
      if nextBeat <= HostLoop.uptime {
        try await beat()
        host.noteBack()
      }
      if let held { look(sight, held) } else if ending != .draining { try await standBy(sight) }
      return min(0.5, lease / 20)
    } catch is CancellationError { return 0 } catch {
      // While nobody can say that it is alive, its silence says nothing.
      others.forget()
      nextBeat = 0
      if !host.noteOutage(error) { tell("\(error)") }
      return max(0.5, host.trouble.outage.pause)
    }
  }

  private func beat() async throws {
    (machine.running, machine.queued) = host.load
    guard try await store.beat(machine, seconds: lease) else {
      if ending == .draining {
        host.log(.warn, "this machine was away for too long; another one has given up its runs")
        host.drain?.cutOff()
        return
      }
      // It was taken for dead for so long that another process took its name, or that it was forgotten.
      host.standBy()
      held = nil
      try await join()
      return
    }
    if let held {
      guard try await store.keep(held, seconds: lease) else { return fenced() }
      try await store.removeOldMachines()
      // A machine that drains may have died.
      host.lookAtClock()
    } else if ending != .draining {
      try await compareJobs()
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
    others.forget()
    host.log(.warn, "another machine plans the jobs now; this one ends its runs and stands by")
    host.standBy()
  }

  /// Takes the right to plan when it has ended by the clock of the database, and when this machine has itself seen no sign
  /// of its holder for as long: the clock of a database may be set.
  private func standBy(_ sight: JobStore.Sight) async throws {
    others.note(sight, clock.now)
    if sight.until > sight.now {
      jobs.forget()
      if let owner = sight.owner, told.planner != owner {
        told.planner = owner
        let planner = JobMachine.name(ofOwner: owner)
        host.log(.info, "the machine \(planner) plans the jobs; this one, \(machine.name), stands by")
        try await compareJobs()
      }
    }
    guard others.isGone(sight, for: lease, clock.now) else { return }
    // A machine that was cut off knows nothing of the time in between.
    let planned = others.lastPlanned(within: max(lease, 5), clock.now)
    guard let definitions = jobs.read else { return readJobs() }
    guard let taken = try await store.takeLease(machine.owner, seconds: lease) else { return }
    held = taken
    jobs.forget()
    (told.planner, told.difference) = (nil, nil)
    nextBeat = HostLoop.uptime + lease / 3
    host.plan(by: .lease(taken, seconds: lease), definitions, handedOver: sight.until == 0 ? planned : nil)
  }

  /// Tells if the scripts of this machine differ from those that the other one plans.
  /// - Parameter isNow: false for a difference that has to be there twice: the machine that plans may read its jobs now.
  private func compareJobs(isNow: Bool = false) async throws {
    guard held == nil, let planned = try await store.digestsOfPlannedJobs() else { return }
    let own: [String: String]
    do { own = try jobs.digests() } catch { return tell("this machine cannot plan: \(error)") }
    let names = Set(own.keys).union(planned.keys).filter { own[$0] != planned[$0] }.sorted()
    let now = names.isEmpty ? nil : names.joined(separator: ", ")
    guard told.isNews(difference: now, isNow: isNow) else { return }
    guard let now else {
      host.log(.info, "this machine has the same jobs as the machine that plans again")
      return
    }
    host.log(
      .warn,
      "this machine has other scripts than the machine that plans (\(now)), and would run its own if it planned; make the "
        + "folders alike, and send SIGHUP to the machine that plans")
  }

  /// The scripts of this machine have changed.
  package func jobsChanged() async throws {
    jobs.change()
    try await compareJobs(isNow: true)
  }

  /// Reads the jobs of this machine. Meanwhile it goes on to say that it is alive.
  private func readJobs() {
    guard !jobs.isReading else { return }
    HostActor.task {
      do { try await self.jobs.readAll() } catch { return self.tell("this machine cannot plan: \(error)") }
      // Nobody plans meanwhile.
      if self.task != nil { _ = await self.step() }
    }
  }

  /// Tells of a problem, once as long as it stays the same.
  private func tell(_ text: String) {
    if told.problem != text { host.log(.error, text) }
    told.problem = text
  }

  private func compareClocks(_ sight: JobStore.Sight) {
    let difference = Double(clock.now.wall) / 1000 - sight.now
    guard (abs(difference) > Self.mostApart) != told.isApart else { return }
    told.isApart.toggle()
    host.log(
      told.isApart ? .warn : .info,
      told.isApart
        ? "the clock of this machine is \(Int(abs(difference).rounded())) s \(difference > 0 ? "ahead of" : "behind") that of the "
          + "database: due times come at the wrong time; set the clock"
        : "the clock of this machine is right again")
  }
}
