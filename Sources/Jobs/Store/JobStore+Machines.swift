import Core
import Databases

extension JobStore {
  /// The name of the right to plan.
  private static let planning = "serve"

  // MARK: The right to plan

  /// The signs of other machines.
  struct Sight: Sendable, Equatable {
    /// The holder of the right to plan; nil before the first one.
    var owner: String?
    var epoch: Int64 = 0
    /// The end of the right, and the time now, in seconds since 1970 by the clock of the database.
    var until = 0.0
    var now = 0.0
    /// True if messages wait in the inbox.
    var hasMessages = false
  }

  func sight() async throws -> Sight {
    let row = try await row(
      of: "lease", key: ["name"],
      """
      SELECT l.name, l.owner, coalesce(l.epoch, 0) AS epoch,
        CASE WHEN \(Lease.isTaken("l", in: statements.dialect)) THEN l.until ELSE 0 END AS until, n.now,
        EXISTS (SELECT 1 FROM inbox WHERE answer IS NULL AND kind <> 'stop') AS has_messages
      FROM (SELECT \(statements.dialect.now) AS now) n LEFT JOIN lease l ON l.name = ?
      """, .text(Self.planning))
    guard let row else { return Sight() }
    return Sight(
      owner: try row.optionalText("owner"), epoch: try row.integer("epoch", in: RowReader.counts),
      until: try row.seconds("until"), now: try row.seconds("now"), hasMessages: try row.flag("has_messages"))
  }

  /// True if a machine plans.
  package func hasPlanner() async throws -> Bool {
    let sight = try await sight()
    return sight.until > sight.now
  }

  /// Takes the right to plan if nobody has it. Returns nil if somebody does.
  func takeLease(_ owner: String, seconds: Double) async throws -> Lease? {
    try await Lease.take(Self.planning, owner: owner, seconds: seconds, in: statements)
  }

  /// Keeps the right to plan. It stays with a machine after its end until another machine takes it: while the database is
  /// away, nobody can. Returns false if another machine has taken it.
  func keep(_ lease: Lease, seconds: Double) async throws -> Bool {
    try await statements.execute(
      "UPDATE lease SET until = \(statements.dialect.now) + ? WHERE name = ? AND owner = ? AND epoch = ?",
      .real(seconds), .text(lease.name), .text(lease.owner), .integer(lease.epoch)) == 1
  }

  /// Returns true if no other machine has taken the right to plan. It locks nothing: a turn may take longer than the lease,
  /// and ends with `keep`, which finds out about another machine.
  func has(_ lease: Lease) async throws -> Bool {
    try await statements.first(
      "SELECT 1 FROM lease WHERE name = ? AND owner = ? AND epoch = ?", .text(lease.name), .text(lease.owner),
      .integer(lease.epoch)) != nil
  }

  // MARK: Machines

  /// Adds a machine. Returns false if a machine of this name is alive. One with the same state folder, in the same boot of
  /// its host, has ended: its state folder is locked by this one.
  func join(_ machine: JobMachine, seconds: Double) async throws -> Bool {
    let now = statements.dialect.now
    if let row = try await row(
      of: "machine", key: ["name"], "SELECT name, session FROM machine WHERE name = ? AND folder = ? FOR UPDATE",
      .text(machine.name), .text(machine.folder))
    {
      let owner = JobMachine.owner(machine.name, try row.integer("session", in: RowReader.any))
      try await statements.execute(
        "UPDATE lease SET until = 0 WHERE name = ? AND owner = ?", .text(Self.planning), .text(owner))
    }
    return try await statements.execute(
      """
      INSERT INTO machine (name, session, folder, host, process, version, since, beat, until, running, queued)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, \(now), \(now), \(now) + ?7, 0, 0)
      ON CONFLICT (name) DO UPDATE SET session = excluded.session, folder = excluded.folder, host = excluded.host,
        process = excluded.process, version = excluded.version, since = excluded.since, beat = excluded.beat,
        until = excluded.until, running = 0, queued = 0, draining = 0
        WHERE machine.until <= \(now) OR machine.folder = excluded.folder
          OR machine.until > \(now) + 2 * \(Lease.longest)
      """, .text(machine.name), .integer(machine.session), .text(machine.folder), .text(machine.host),
      .integer(machine.process), .text(machine.version), .real(seconds)) == 1
  }

  /// Says that a machine is alive. Returns false if another process has its name, and for a machine that drains and was away
  /// for so long that the machine that plans may have given up its runs.
  func beat(_ machine: JobMachine, seconds: Double) async throws -> Bool {
    let now = statements.dialect.now
    return try await statements.execute(
      """
      UPDATE machine SET beat = \(now), until = \(now) + ?, running = ?, queued = ? WHERE name = ? AND session = ?
        AND (draining = 0 OR until > \(now))
      """, .real(seconds), .integer(Int64(machine.running)), .integer(Int64(machine.queued)), .text(machine.name),
      .integer(machine.session)) == 1
  }

  /// Lets another machine plan at once.
  func release(_ machine: JobMachine) async throws {
    try await statements.execute(
      "UPDATE lease SET until = 0 WHERE name = ? AND owner = ?", .text(Self.planning), .text(machine.owner))
  }

  /// Removes a machine that ends, and lets another one plan at once.
  func leave(_ machine: JobMachine) async throws {
    try await release(machine)
    try await statements.execute(
      "DELETE FROM inbox WHERE machine = ? AND (kind = 'stop' OR kind = 'process' AND answer IS NOT NULL)",
      .text(machine.name))
    try await statements.execute(
      "DELETE FROM machine WHERE name = ? AND session = ?", .text(machine.name), .integer(machine.session))
  }

  /// The machines that serve, or did so within a day.
  package func machines() async throws -> [JobMachine] {
    guard statements.dialect == .postgresql else { return [] }
    let sight = try await sight()
    let rows = try await rows(of: "machine", key: ["name"], "SELECT * FROM machine ORDER BY name")
    return readable(rows) { row throws(DamagedRow) in
      var machine = try JobMachine(row)
      machine.isAlive = machine.until > sight.now
      machine.isDraining = try row.flag("draining") && machine.isAlive
      // Another machine has taken over what it had.
      if !machine.isAlive { (machine.running, machine.queued) = (0, 0) }
      machine.isPlanning = machine.isAlive && sight.owner == machine.owner && sight.until > sight.now
      return machine
    }
  }

  /// Forgets machines that were last seen a day ago, and answers that nobody has fetched.
  func removeOldMachines() async throws {
    let day = "\(statements.dialect.now) - 86400"
    try await statements.execute("DELETE FROM machine WHERE beat < \(day)")
    try await statements.execute(
      "DELETE FROM inbox WHERE (answer IS NOT NULL OR kind = 'stop') AND received < (\(day)) * 1000")
  }

  /// The machine of this name; nil if there is none.
  func machine(_ name: String) async throws -> JobMachine? {
    try await row(of: "machine", key: ["name"], "SELECT * FROM machine WHERE name = ?", .text(name)).map(
      JobMachine.init)
  }

  // MARK: Machines that drain

  /// A machine drains from now on.
  func drain(_ machine: JobMachine) async throws {
    try await statements.execute(
      "UPDATE machine SET draining = 1 WHERE name = ? AND session = ?", .text(machine.name), .integer(machine.session))
  }

  /// The owners of the runs of machines that drain and are alive, by the names of the machines.
  func drainingOwners() async throws -> [String: String] {
    let rows = try await rows(
      of: "machine", key: ["name"],
      "SELECT name, session FROM machine WHERE draining = 1 AND until > \(statements.dialect.now)")
    let owners = try rows.map { read in
      let name = try read.text("name")
      return (name, JobMachine.owner(name, try read.integer("session", in: RowReader.any)))
    }
    return Dictionary(owners) { $1 }
  }
}

extension JobMachine {
  fileprivate init(_ read: RowReader) throws(DamagedRow) {
    // Whoever can write to the database can name a machine as they like.
    self.init(
      name: try read.text("name").displayable, session: try read.integer("session", in: RowReader.any),
      folder: try read.text("folder"), host: try read.text("host").displayable,
      process: try read.integer("process", in: RowReader.any), version: try read.text("version").displayable)
    since = try read.seconds("since")
    beat = try read.seconds("beat")
    until = try read.seconds("until")
    running = try read.count("running")
    queued = try read.count("queued")
  }
}
