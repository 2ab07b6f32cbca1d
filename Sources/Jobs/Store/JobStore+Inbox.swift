import Core
import Databases
import JSON
import JobTables

/// The messages of machines to each other.
extension JobStore {
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

  // MARK: Machines that drain

  /// The owners of runs of which messages wait, also of machines that have ended.
  func ownersInInbox() async throws -> [Int64: String] {
    let rows = try await rows(
      of: "inbox", key: ["id"], "SELECT * FROM inbox WHERE kind = 'process' AND answer IS NULL ORDER BY id")
    var owners: [Int64: String] = [:]
    for row in rows {
      let content = try message(row).content
      if let run = content["run"]?.lenientInteger { owners[run] = content["owner"]?.string }
    }
    return owners
  }

  /// Takes the answers to what the processes of a machine said, and the orders to end them, the oldest first. Those for
  /// another session of the machine are removed.
  func takeOrders(for machine: JobMachine) async throws -> [ProcessOrder] {
    let rows = try await rows(
      of: "inbox", key: ["id"],
      "DELETE FROM inbox WHERE machine = ? AND (kind = 'stop' OR kind = 'process' AND answer IS NOT NULL) RETURNING *",
      .text(machine.name))
    let mail = try rows.map { row in (message: try message(row), answer: try row.optionalJSON("answer") ?? .null) }
    return mail.sorted { $0.message.id < $1.message.id }.compactMap { message, answer in
      guard message.isSealed else {
        refuse(message)
        return nil
      }
      do throws(JobError) {
        switch try InboxMessage(message) {
        case .stop(let run, _, let owner, let kill) where owner == nil || owner == machine.owner:
          return .stop(run: run, kill: kill)
        case .process(let news) where news.owner == machine.owner:
          return .reply(run: news.run, number: news.number, try RunReply(answer))
        case .stop, .process, .hook, .wait, .command: return nil
        }
      } catch {
        damaged.note(error, at: place)
        return nil
      }
    }
  }
}
