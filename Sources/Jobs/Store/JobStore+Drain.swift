import Databases
import JSON

/// Machines that end while their runs go on: another machine plans, and they pass on what their processes say.
extension JobStore {
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

  /// Takes the answers to what the processes of a machine said, and the orders to end them, the oldest first.
  func takeMail(for machine: String) async throws -> [(kind: Message.Kind, content: JSON, answer: JSON)] {
    let rows = try await rows(
      of: "inbox", key: ["id"],
      "DELETE FROM inbox WHERE machine = ? AND (kind = 'stop' OR kind = 'process' AND answer IS NOT NULL) RETURNING *",
      .text(machine))
    let mail = try rows.map { row in (message: try message(row), answer: try row.optionalJSON("answer") ?? .null) }
    return mail.sorted { $0.message.id < $1.message.id }.compactMap { message, answer in
      guard message.isSealed else {
        refuse(message)
        return nil
      }
      return (message.kind, message.content, answer)
    }
  }
}
