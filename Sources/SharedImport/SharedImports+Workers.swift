import Databases
import HostLoop
package import ImportEngine
import ImportFormats

/// A process that works on imports.
package struct WorkerIdentity: Sendable {
  /// Random, and another one after a worker was fenced.
  package var id: String
  /// The name of the machine, as people know it.
  package var machine: String
  package var process: Int
  /// The machine's boot: two machines with one name differ by it.
  package var boot: String
  package var version: String

  package init(machine: String, process: Int, boot: String, version: String) {
    id = ImportID.random()
    self.machine = machine
    self.process = process
    self.boot = boot
    self.version = version
  }

  mutating func renew() { id = ImportID.random() }
}

extension WorkerSummary {
  init(_ read: RowReader) throws(DamagedRow) {
    self.init(
      id: try read.text("id"), machine: try read.text("machine"), process: try read.count("process"),
      importID: try read.optionalText("import_id"), isAlive: try read.flag("is_alive"), added: try read.count("added"),
      failed: try read.count("failed"), rate: try read.real("rate", in: 0...1e12), blocks: try read.count("blocks"))
  }
}

extension SharedImports {
  /// Registers a worker. Throws an error if a live worker of another machine has the machine's name.
  /// - Returns: the seconds by which this machine's clock is ahead of the database's.
  func register(
    _ worker: WorkerIdentity, on id: String, seconds: Double, now: Double
  ) async throws -> Double {
    try await database.transaction { statements in
      let other = try await statements.first(
        "SELECT process FROM worker WHERE machine = ? AND boot <> ? AND \(SharedSchema.isAlive) LIMIT 1",
        .text(worker.machine), .text(worker.boot))
      if let process = other?[0].integer { throw ImportError.twoMachines(worker.machine, process, self.place) }
      try await statements.execute(
        """
        INSERT INTO worker (id, machine, process, boot, version, lease_until, import_id)
        VALUES (?1, ?2, ?3, ?4, ?5, now() + make_interval(secs => ?6), ?7) ON CONFLICT (id) DO NOTHING
        """, .text(worker.id), .text(worker.machine), .integer(Int64(worker.process)), .text(worker.boot),
        .text(worker.version), .real(seconds), .text(id))
      let time = try await statements.first("SELECT \(statements.dialect.now)")
      return now - (time?[0].real ?? now)
    }
  }

  /// Tells that the worker lives. Returns false if others have taken it for dead.
  func beat(_ worker: String, seconds: Double) async throws -> Bool {
    try await database.execute(
      "UPDATE worker SET beat = beat + 1, lease_until = now() + make_interval(secs => ?) WHERE id = ?", .real(seconds),
      .text(worker)) == 1
  }

  /// Tells the others how far this worker is. Returns false if others have taken it for dead.
  func tell(_ worker: String, added: Int, failed: Int, rate: Double) async throws -> Bool {
    try await database.execute(
      "UPDATE worker SET added = ?, failed = ?, rate = ? WHERE id = ?", .integer(Int64(added)), .integer(Int64(failed)),
      .real(rate), .text(worker)) == 1
  }

  /// The beats of all other workers, and whether each is late by its lease and `grace`.
  func beats(except worker: String, grace: Double) async throws -> [(id: String, beat: Int64, isLate: Bool)] {
    let rows = try await database.query(
      """
      SELECT id, beat,
        lease_until + make_interval(secs => ?1) < now() OR lease_until > \(SharedSchema.latestEnd) AS is_late
      FROM worker WHERE id <> ?2
      """, .real(grace), .text(worker))
    return damaged.readable(rows.map(self.worker)) { read throws(DamagedRow) in
      (try read.text("id"), try read.integer("beat", in: RowReader.counts), try read.flag("is_late"))
    }
  }

  /// The most claims of a block. Then it is held, because it may be what ends its workers.
  nonisolated static let mostAttempts = 5

  /// Takes a dead worker's blocks from it, if it has not beaten since. Returns the name of its machine and the number of
  /// its blocks; nil if it has beaten, or if others were faster.
  func takeOver(_ worker: String, beat: Int64) async throws -> (machine: String, blocks: Int)? {
    try await remove(worker, beat: beat, attempts: "attempts")
  }

  /// The worker ends. Its counts stay with the import. Blocks that it has claimed without hearing of it are free again.
  func unregister(_ worker: String) async throws {
    _ = try await remove(worker, beat: nil, attempts: "attempts - 1")
  }

  private func remove(
    _ worker: String, beat: Int64?, attempts: String
  ) async throws -> (machine: String, blocks: Int)? {
    try await database.transaction { statements in
      let gone = try await statements.first(
        """
        DELETE FROM worker WHERE id = ?1 AND (?2::bigint IS NULL OR beat = ?2)
        RETURNING import_id, added, failed, machine
        """, .text(worker), .init(beat))
      guard let gone else { return nil }
      try await statements.execute(
        "UPDATE import SET added = added + ?, failed = failed + ? WHERE id = ? AND state <> 'done'", gone[1], gone[2],
        gone[0])
      let blocks = try await statements.execute(
        """
        UPDATE block SET state = CASE WHEN \(attempts) >= ?1 THEN 'held' ELSE 'free' END, owner = NULL, epoch = epoch + 1,
          attempts = \(attempts)
        WHERE owner = ?2 AND state = 'claimed'
        """, .integer(Int64(Self.mostAttempts)), .text(worker))
      return (try self.reader(gone, of: "worker").text("machine"), blocks)
    }
  }

  /// Frees blocks that nobody has: their worker is gone, and has not given them back.
  func freeOrphans(_ id: String) async throws {
    try await database.execute(
      """
      UPDATE block SET state = 'free', owner = NULL, epoch = epoch + 1
      WHERE import_id = ? AND state = 'claimed' AND NOT EXISTS (SELECT 1 FROM worker WHERE worker.id = block.owner)
      """, .text(id))
  }

  /// The machines of an import that have blocks, except one worker, with the seconds since their last beats.
  /// - Parameter lease: the seconds of a lease, which begins with each beat.
  func holders(of id: String, except worker: String, lease: Double) async throws -> [(
    summary: WorkerSummary, silence: Double
  )] {
    let silences: [String: Double] = try await database.query(
      """
      SELECT id, greatest(0, ?1 - extract(epoch FROM lease_until - clock_timestamp()))::float8 AS silence FROM worker
      WHERE import_id = ?2 AND isfinite(lease_until)
      """, .real(lease), .text(id)
    ).reduce(into: [:]) { silences, row in
      let read = reader(row, of: "worker")
      silences[try read.text("id")] = try read.real("silence", in: 0...Double(RowReader.times.upperBound))
    }
    return try await workers(of: id).filter { $0.id != worker && $0.blocks > 0 }.map { ($0, silences[$0.id] ?? 0) }
  }

  package func workers(of id: String? = nil) async throws -> [WorkerSummary] {
    let rows = try await database.query(
      """
      SELECT id, machine, process, import_id, \(SharedSchema.isAlive) AS is_alive, added, failed, coalesce(rate, 0) AS rate,
        (SELECT count(*) FROM block WHERE block.import_id = worker.import_id AND state = 'claimed' AND owner = worker.id)
          AS blocks
      FROM worker WHERE ?1::text IS NULL OR import_id = ?1 ORDER BY machine, started
      """, .init(id)
    )
    return damaged.readable(rows.map(worker), WorkerSummary.init)
  }
}

extension ImportError {
  fileprivate static func twoMachines(_ name: String, _ process: Int64, _ place: String) -> ImportError {
    ImportError(
      kind: .twoMachines,
      message: "another machine with the name \(name) works at \(place) (its process \(process))",
      hint: "give one of them another name with --machine NAME, or wait until the other one has ended")
  }
}

extension SharedImports {
  /// The imports with rows that a further machine can send, the oldest first.
  package func waiting() async throws -> [SharedImport] {
    let rows = try await database.query(
      """
      SELECT \(SharedImport.columns) FROM import WHERE state = 'open' AND (
        EXISTS (SELECT 1 FROM block WHERE import_id = import.id AND no >= import.low
            AND (state = 'free' OR unknown > 0 AND import.planned IS NOT NULL))
        OR planned IS NULL
          AND EXISTS (SELECT 1 FROM lease WHERE name = 'planner/' || import.id AND \(Lease.isTaken(in: .postgresql))))
      ORDER BY created
      """
    )
    return damaged.readable(rows.map(record), SharedImport.init)
  }
}
