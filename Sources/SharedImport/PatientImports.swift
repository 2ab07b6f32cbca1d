import Databases
import HostLoop
import ImportEngine

/// The statements about one import, each repeated while the database is away.
@HostActor
final class PatientImports {
  /// The statements that are not repeated.
  let imports: SharedImports
  let id: String
  private let patience: DatabasePatience
  private let isOwn: Bool

  init(_ imports: SharedImports, _ id: String, _ patience: DatabasePatience, isOwn: Bool = false) {
    self.isOwn = isOwn
    self.imports = imports
    self.id = id
    self.patience = patience
  }

  /// The same import with a separate connection: the statements of one connection wait for each other's commits.
  func another() -> PatientImports {
    let other = imports.another()
    return PatientImports(other, id, patience, isOwn: other !== imports)
  }

  /// Closes the connection, if `another` has made it.
  func close() async { if isOwn { await imports.close() } }

  nonisolated var place: String { imports.place }

  /// Runs `body` until it succeeds, or fails for another reason than that the database is away.
  private func repeating<Result: Sendable>(
    _ body: @HostActor (SharedImports, String) async throws -> Result
  ) async throws -> Result {
    try await patience.repeating { try await body(imports, id) }
  }

  // MARK: The import

  func load() async throws -> SharedImport? { try await repeating { try await $0.load($1) } }

  func status(for worker: String) async throws -> SharedStatus? {
    try await repeating { try await $0.status($1, worker: worker) }
  }

  func counts() async throws -> RowCounts {
    try await repeating { try await $0.totals($1)?.counts ?? RowCounts() }
  }

  func stop(because trouble: String) async throws { try await repeating { try await $0.stop($1, because: trouble) } }

  func pause(seconds: Double) async throws { try await repeating { try await $0.pause($1, seconds: seconds) } }

  func finish() async throws -> Bool { try await repeating { try await $0.finish($1) } }

  func setHonorsKey(_ honors: Bool) async throws { try await repeating { try await $0.setHonorsKey(honors, $1) } }

  // MARK: Workers

  /// Returns the seconds by which this machine's clock is ahead of the database's.
  func register(_ worker: WorkerIdentity, seconds: Double, now: Double) async throws -> Double {
    try await repeating { try await $0.register(worker, on: $1, seconds: seconds, now: now) }
  }

  func take(_ lease: String, for worker: String, seconds: Double) async throws -> Lease? {
    try await repeating { imports, _ in
      try await Lease.take(lease, owner: worker, seconds: seconds, in: imports.database)
    }
  }

  func holders(except worker: String, lease: Double) async throws -> [(summary: WorkerSummary, silence: Double)] {
    try await repeating { try await $0.holders(of: $1, except: worker, lease: lease) }
  }

  func tell(_ pulse: WorkerPulse) async throws { try await repeating { _, _ in try await pulse.tell() } }

  // MARK: Planning

  func knownBlocks(after number: Int, limit: Int = 500) async throws -> [KnownBlock] {
    try await repeating { try await $0.knownBlocks($1, after: number, limit: limit) }
  }

  func add(_ blocks: [PlannedBlock], _ lease: Lease) async throws {
    try await repeating { try await $0.add(blocks, to: $1, lease) }
  }

  func endPlan(blocks: Int, rows: Int, digest: UInt64, _ lease: Lease) async throws {
    try await repeating { try await $0.endPlan($1, blocks: blocks, rows: rows, digest: digest, lease) }
  }

  func reopen() async throws { try await repeating { try await $0.reopen($1) } }

  // MARK: Blocks

  /// - Parameters:
  ///   - held: the blocks that the worker knows of. The answer of an earlier try may have got lost, with its blocks.
  ///   - known: the rows of blocks that this machine has planned itself.
  func claim(
    _ most: Int, for worker: String, honorsKey: Bool, held: @HostActor () -> [Int], known: [Int: [BlockRow]]
  ) async throws -> [HeldBlock] {
    var isRepeated = false
    return try await repeating { imports, id in
      if isRepeated { try await imports.giveBackUnheld(held(), id, worker: worker) }
      isRepeated = true
      return try await imports.claim(most, id, worker: worker, honorsKey: honorsKey, known: known)
    }
  }

  func claimUnknown(_ most: Int, for worker: String, _ lease: Lease) async throws -> [HeldBlock] {
    try await repeating { imports, id in
      // The answer of an earlier try may have got lost.
      try await imports.giveBackUnheld([], id, worker: worker)
      return try await imports.claimUnknown(most, id, worker: worker, lease)
    }
  }

  func writeIntents(_ blocks: [HeldBlock], _ intents: [Int], for worker: String) async throws {
    try await repeating { try await $0.writeIntents(blocks, intents, $1, worker: worker) }
  }

  func write(_ outcomes: [SharedImports.Outcome], for worker: String) async throws -> Set<Int> {
    try await repeating { try await $0.write(outcomes, $1, worker: worker) }
  }

  // MARK: Tasks on the server

  func setBaseline(total: Int, counts: [UInt64: Int]) async throws {
    try await repeating { try await $0.setBaseline($1, total: total, counts: counts) }
  }

  /// The tasks with these hashes of texts that were there before the import, or that the import has added; nil without a
  /// baseline.
  func knownTasks(of hashes: Set<UInt64>, baseline total: Int?) async throws -> KnownTasks? {
    guard let total else { return nil }
    return try await repeating { imports, id in
      KnownTasks(
        before: try await imports.baselineCounts(id, of: hashes), totalBefore: total,
        added: try await imports.addedCounts(id, of: hashes), totalAdded: try await imports.counts(id).added)
    }
  }
}
