import Core
import Databases
import HostLoop

/// Tells the database that this worker lives, keeps its leases, and takes over the blocks of workers that died.
@HostActor
final class WorkerPulse {
  private let imports: SharedImports
  private let times: SharedTimes
  private var worker = ""
  private var importID = ""
  private var leases: [Lease] = []
  private var beating: Task<Void, any Error>?
  /// When the last good beat was sent, by the clock that counts the machine's sleep.
  private var lastGood = -Double.infinity
  /// True if others have taken this worker for dead.
  private(set) var isFenced = false
  /// The beats of others, and since when each is the same.
  private var seen: [String: (beat: Int64, since: Double)] = [:]
  var added = 0
  var failed = 0
  var rate = 0.0
  var onFenced: @HostActor () -> Void = {}
  /// Called for an error that does not pass by itself: without beats, others take this worker for dead.
  var onFailure: @HostActor (any Error) -> Void = { _ in }
  var onNotice: @HostActor (String) -> Void = { _ in }

  init(_ imports: SharedImports, _ times: SharedTimes) {
    self.imports = imports
    self.times = times
  }

  /// The worker is registered.
  func begin(_ worker: String, on importID: String) {
    self.worker = worker
    self.importID = importID
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
    guard !isFenced, try await !imports.tell(worker, added: added, failed: failed, rate: rate) else { return }
    isFenced = true
    onFenced()
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
      guard try await imports.beat(worker, seconds: times.lease) else {
        isFenced = true
        return onFenced()
      }
      lastGood = start
      for lease in leases where try await !lease.renew(seconds: times.lease, in: imports.database) {
        leases.removeAll { $0 == lease }
      }
      try await lookAtOthers()
      try await imports.moveLow(importID)
      try await imports.freeOrphans(importID)
    } catch is CancellationError {} catch {
      if (error as? PostgresError)?.isPassing != true { onFailure(error) }
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
        onNotice("the machine \(dead.machine) has died: its \(counted(dead.blocks, "block")) can be sent by others now")
      }
    }
    seen = still
  }
}
