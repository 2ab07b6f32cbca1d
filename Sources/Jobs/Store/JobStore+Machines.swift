import Core
import Databases
import JSON

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

  // MARK: Messages to the machine that plans

  /// A message to the machine that plans.
  struct Message: Sendable {
    enum Kind: String, Sendable {
      /// A checked request for a job, whose IDs are stored.
      case hook
      /// A request for runs that wait.
      case wait
      /// A command of a person, who waits for the answer.
      case command
      /// A message of a process on a machine that drains. Some have an answer.
      case process
      /// Not for the machine that plans, but for one that drains: a process has to end.
      case stop
    }

    var id: Int64 = 0
    var kind: Kind
    var job: String
    var content: JSON
    var machine: String
    var received: Int64
    /// False for a message that no machine with the key has sent.
    var isSealed = true

    /// The parts of a seal.
    func parts(_ content: String) -> [String] { ["message", kind.rawValue, job, content, machine, "\(received)"] }
  }

  /// Returns the ID of the message.
  @discardableResult
  func send(_ message: Message) async throws -> Int64 {
    let content = message.content.encoded()
    let row = try await row(
      of: "inbox",
      "INSERT INTO inbox (kind, job, content, machine, received, seal) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
      .text(message.kind.rawValue), .text(message.job), .text(content), .text(message.machine),
      .integer(message.received), SQLValue(seal?.seal(message.parts(content))))
    return try row?.integer("id", in: RowReader.any) ?? 0
  }

  /// The messages without an answer, the oldest first.
  func messages(limit: Int) async throws -> [Message] {
    try await rows(
      of: "inbox", key: ["id"],
      "SELECT * FROM inbox WHERE answer IS NULL AND kind <> 'stop' ORDER BY id LIMIT ?", .integer(Int64(limit))
    ).map(message)
  }

  /// The message of a row. One that cannot be read has no seal: no machine has sent it.
  func message(_ row: RowReader) throws(DamagedRow) -> Message {
    let id = try row.integer("id", in: RowReader.any)
    do {
      guard let kind = Message.Kind(rawValue: try row.text("kind")) else {
        throw row.damaged("kind", "the kind of a message")
      }
      var message = Message(
        id: id, kind: kind, job: try row.text("job"), content: try row.json("content"),
        machine: try row.text("machine"), received: try row.milliseconds("received"))
      let content = try row.text("content")
      if let seal { message.isSealed = seal.holds(try row.optionalText("seal"), message.parts(content)) }
      return message
    } catch {
      return Message(
        id: id, kind: .command, job: "", content: .null, machine: try row.text("machine"), received: 0,
        isSealed: false)
    }
  }

  /// Tells of a message that no machine has sent: somebody else has written it into the database.
  func refuse(_ message: Message) {
    damaged.note(
      JobError(
        "not_sealed",
        "a message in the name of the machine \(message.machine.displayable.clipped(to: 100)) has not been sealed with the "
          + "key of the machines; such messages are removed",
        hint: "see who can write to the database"), at: place)
  }

  /// Stores the answer to a message. One without an answer is removed.
  func answer(_ message: Message, _ answer: JSON) async throws {
    guard answer != .null else { return try await removeMessage(message.id) }
    try await statements.execute(
      "UPDATE inbox SET answer = ? WHERE id = ?", .text(answer.encoded()), .integer(message.id))
  }

  /// The answer to a command; nil while there is none.
  func answer(to message: Int64) async throws -> JSON? {
    try await row(of: "inbox", key: ["id"], "SELECT id, answer FROM inbox WHERE id = ?", .integer(message))?
      .optionalJSON("answer")
  }

  func removeMessage(_ id: Int64) async throws {
    try await statements.execute("DELETE FROM inbox WHERE id = ?", .integer(id))
  }

  /// The numbers of open runs of a job that have begun, and that wait for their turn. Requests that other machines have
  /// taken wait, too.
  func load(of job: String, key: String?) async throws -> (active: Int, waiting: Int) {
    let row = try await row(
      of: "run",
      """
      SELECT count(*) FILTER (WHERE state <> 'due') AS active, count(*) FILTER (WHERE state = 'due') AS waiting FROM run
      WHERE job = ? AND key IS NOT DISTINCT FROM ? AND state IN ('due', 'started', 'retry', 'asleep', 'waiting')
      """, .text(job), SQLValue(key))
    let sent = try await self.row(
      of: "inbox", "SELECT count(*) AS sent FROM inbox WHERE job = ? AND kind = 'hook' AND answer IS NULL", .text(job))
    guard let row, let sent else { return (0, 0) }
    return (try row.count("active"), try row.count("waiting") + sent.count("sent"))
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
