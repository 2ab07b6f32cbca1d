import Core
import Databases
import HostLoop
import ImportFormats

/// Tells the database that this worker lives, keeps its leases, and takes over the blocks of workers that died.
@HostActor
final class WorkerPulse {
  private let imports: SharedImports
  private let times: SharedTimes
  private let worker: String
  private let importID: String
  private var leases: [Lease] = []
  private var beating: Task<Void, any Error>?
  /// When the last good beat was sent, by the clock that counts the machine's sleep.
  private var lastGood = -Double.infinity
  /// True if others have taken this worker for dead.
  private(set) var isFenced = false
  /// The beats of others, and since when each is the same.
  private var seen: [String: (beat: Int64, since: Double)] = [:]
  /// The figures for the other machines.
  var figures = (added: 0, failed: 0, rate: 0.0)
  private let signals: SharedSignals

  init(
    _ imports: SharedImports, _ times: SharedTimes, _ worker: String, on importID: String, _ signals: SharedSignals
  ) {
    self.imports = imports
    self.times = times
    self.worker = worker
    self.importID = importID
    self.signals = signals
  }

  /// The worker is registered.
  func begin() {
    lastGood = SharedTimes.bootTime
    beating = HostActor.task { [weak self] in
      while let self {
        await self.beat()
        try await HostLoop.shared.sleep(seconds: self.times.beat)
      }
    }
  }

  /// True if others cannot have taken this worker for dead.
  var maySend: Bool { !isFenced && SharedTimes.bootTime - lastGood < times.send }

  /// Tells the others how far this worker is.
  func tell() async throws {
    guard !isFenced,
      try await !imports.tell(worker, added: figures.added, failed: figures.failed, rate: figures.rate)
    else { return }
    fence()
  }

  private func fence() {
    isFenced = true
    signals.yield(.fenced(.fenced(imports.place), worker: worker))
  }

  /// Keeps a lease until `giveBack`.
  func keep(_ lease: Lease) { leases.append(lease) }

  func giveBack(_ lease: Lease) async {
    leases.removeAll { $0 == lease }
    // A lease that cannot be given back ends by itself.
    try? await lease.release(in: imports.database)
  }

  func end() async {
    beating?.cancel()
    _ = await beating?.result
    for lease in leases { await giveBack(lease) }
  }

  /// A beat that fails is not repeated at once: the next one comes soon enough, and until then nothing is sent.
  private func beat() async {
    let start = SharedTimes.bootTime
    do {
      guard try await imports.beat(worker, seconds: times.lease) else { return fence() }
      lastGood = start
      for lease in leases where try await !lease.renew(seconds: times.lease, in: imports.database) {
        leases.removeAll { $0 == lease }
      }
      try await lookAtOthers()
      try await imports.moveLow(importID)
      try await imports.freeOrphans(importID)
    } catch is CancellationError {} catch {
      // Without beats, others take this worker for dead.
      if (error as? PostgresError)?.isPassing != true { signals.yield(.failed(error)) }
    }
  }

  /// Takes over from workers that are late by the database's clock, and whose beat this worker has itself not seen to
  /// change for as long: the clock of a database that was promoted may be any.
  private func lookAtOthers() async throws {
    let now = SharedTimes.bootTime
    var still: [String: (beat: Int64, since: Double)] = [:]
    for other in try await imports.beats(except: worker, grace: times.grace) {
      let since = seen[other.id].flatMap { $0.beat == other.beat ? $0.since : nil } ?? now
      still[other.id] = (other.beat, since)
      guard other.isLate, now - since >= times.observation else { continue }
      if let dead = try await imports.takeOver(other.id, beat: other.beat), dead.blocks > 0 {
        signals.yield(
          .notice(
            "the machine \(dead.machine) has died: its \(counted(dead.blocks, "block")) can be sent by others now"))
      }
    }
    seen = still
  }
}
