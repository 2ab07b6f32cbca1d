import HostLoop
import SQL
import Storage

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
    id = JournalRecord.randomID()
    self.machine = machine
    self.process = process
    self.boot = boot
    self.version = version
  }

  mutating func renew() { id = JournalRecord.randomID() }
}

/// A worker as others see it.
package struct WorkerSummary: Sendable, Equatable {
  package let id: String
  package let machine: String
  package let process: Int
  package let importID: String?
  package let isAlive: Bool
  package let added: Int
  package let failed: Int
  /// Rows a second.
  package let rate: Double
  package let blocks: Int
}

extension SharedImports {
  /// Registers a worker. Throws an error if a live worker of another machine has the machine's name.
  /// - Returns: the seconds by which this machine's clock is ahead of the database's.
  func register(_ worker: WorkerIdentity, seconds: Double, now: Double) async throws -> Double {
    try await database.transaction { statements in
      let other = try await statements.first(
        "SELECT process FROM worker WHERE machine = ? AND boot <> ? AND lease_until > now() LIMIT 1",
        .text(worker.machine), .text(worker.boot))
      if let process = other?[0].integer { throw ImportError.twoMachines(worker.machine, process, self.place) }
      try await statements.execute(
        """
        INSERT INTO worker (id, machine, process, boot, version, lease_until)
        VALUES (?1, ?2, ?3, ?4, ?5, now() + make_interval(secs => ?6)) ON CONFLICT (id) DO NOTHING
        """, .text(worker.id), .text(worker.machine), .integer(Int64(worker.process)), .text(worker.boot),
        .text(worker.version), .real(seconds))
      let time = try await statements.first("SELECT \(statements.dialect.now)")
      return now - (time?[0].real ?? now)
    }
  }

  /// Tells that the worker lives. Returns false if others have taken it for dead.
  func beat(
    _ worker: String, on id: String?, seconds: Double, added: Int, failed: Int, rate: Double
  ) async throws -> Bool {
    try await database.execute(
      """
      UPDATE worker SET beat = beat + 1, lease_until = now() + make_interval(secs => ?1), import_id = ?2, added = ?3,
        failed = ?4, rate = ?5 WHERE id = ?6
      """, .real(seconds), .init(id), .integer(Int64(added)), .integer(Int64(failed)), .real(rate), .text(worker)) == 1
  }

  /// The beats of all other workers, and whether each is late by its lease and `grace`.
  func beats(except worker: String, grace: Double) async throws -> [(id: String, beat: Int64, isLate: Bool)] {
    try await database.query(
      "SELECT id, beat, lease_until + make_interval(secs => ?1) < now() FROM worker WHERE id <> ?2", .real(grace),
      .text(worker)
    ).map { ($0[0].text ?? "", $0[1].integer ?? 0, $0[2].integer == 1) }
  }

  /// The most claims of a block. Then it is held, because it may be what ends its workers.
  nonisolated static let mostAttempts = 5

  /// Takes a dead worker's blocks from it, if it has not beaten since. Returns the number of its blocks.
  func takeOver(_ worker: String, beat: Int64) async throws -> Int? {
    try await database.transaction { statements in
      let dead = try await statements.first(
        "DELETE FROM worker WHERE id = ? AND beat = ? RETURNING import_id, added, failed", .text(worker), .integer(beat)
      )
      guard let dead else { return nil }
      try await statements.execute(
        "UPDATE import SET added = added + ?, failed = failed + ? WHERE id = ?", dead[1], dead[2], dead[0])
      return try await statements.execute(
        """
        UPDATE block SET state = CASE WHEN attempts >= ?1 THEN 'held' ELSE 'free' END, owner = NULL, epoch = epoch + 1
        WHERE owner = ?2 AND state = 'claimed'
        """, .integer(Int64(Self.mostAttempts)), .text(worker))
    }
  }

  /// The worker ends. Its counts stay with the import. A worker that could not give its blocks back stays until its lease
  /// ends, so that others take them over.
  func unregister(_ worker: String, from id: String) async throws {
    try await database.transaction { statements in
      let row = try await statements.first(
        """
        DELETE FROM worker WHERE id = ?1 AND NOT EXISTS (
          SELECT 1 FROM block WHERE block.import_id = ?2 AND owner = ?1 AND state = 'claimed')
        RETURNING import_id, added, failed
        """, .text(worker), .text(id))
      guard let row else { return }
      try await statements.execute(
        "UPDATE import SET added = added + ?, failed = failed + ? WHERE id = ? AND state <> 'done'", row[1], row[2],
        row[0])
    }
  }

  package func workers(of id: String? = nil) async throws -> [WorkerSummary] {
    try await database.query(
      """
      SELECT id, machine, process, import_id, lease_until > now(), added, failed, coalesce(rate, 0),
        (SELECT count(*) FROM block WHERE block.import_id = worker.import_id AND state = 'claimed' AND owner = worker.id)
      FROM worker WHERE ?1::text IS NULL OR import_id = ?1 ORDER BY machine, started
      """, .init(id)
    ).map {
      WorkerSummary(
        id: $0[0].text ?? "", machine: $0[1].text ?? "", process: Int($0[2].integer ?? 0), importID: $0[3].text,
        isAlive: $0[4].integer == 1, added: Int($0[5].integer ?? 0), failed: Int($0[6].integer ?? 0),
        rate: $0[7].real ?? 0, blocks: Int($0[8].integer ?? 0))
    }
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
    try await database.query(
      """
      SELECT \(SharedImport.columns) FROM import WHERE state = 'open' AND (
        EXISTS (SELECT 1 FROM block WHERE import_id = import.id AND (state = 'free' OR unknown > 0) AND no >= import.low)
        OR planned IS NULL
          AND EXISTS (SELECT 1 FROM lease WHERE name = 'planner/' || import.id AND until > \(Dialect.postgresql.now)))
      ORDER BY created
      """
    ).map(SharedImport.init)
  }
}
