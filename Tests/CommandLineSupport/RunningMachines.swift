import Foundation
package import TestSupport
import Testing

/// Machines with the same jobs, each with a folder and a home of its own.
package final class RunningMachines {
  package let database: PostgresServer
  package let name: String
  package let jobs: [String: String]
  package private(set) var servers: [String: RunningServer] = [:]
  /// The programs with the key of the group; the first one has made it.
  private var hasKey: [Program] = []

  package init(_ jobs: [String: String], database: PostgresServer? = nil) throws {
    self.database = try database ?? .shared
    name = try self.database.makeDatabase()
    self.jobs = jobs
  }

  package var address: String { database.address(name) }

  /// The folders of a machine, without a server.
  package func make(_ machine: String, in program: Program? = nil) throws -> RunningServer {
    if let server = servers[machine] { return server }
    let server = try RunningServer(jobs, in: program, isStarted: false)
    servers[machine] = server
    return server
  }

  /// Hands the key over that the first machine has made.
  package func giveKey(to program: Program) throws {
    guard let first = hasKey.first, !hasKey.contains(where: { $0 === program }) else { return }
    try first.handKey(of: address, to: program)
    hasKey.append(program)
  }

  /// A command on a machine, with the database.
  package func run(_ machine: String, _ words: String...) throws -> Program.Result {
    let program = try make(machine).program
    try giveKey(to: program)
    return try program.run(list: ["--store", address] + words)
  }

  @discardableResult
  package func start(
    _ machine: String, as other: String? = nil, in program: Program? = nil, options: [String] = []
  ) throws -> RunningServer {
    let server = try make(machine, in: program)
    try giveKey(to: server.program)
    defer { if hasKey.isEmpty { hasKey = [server.program] } }
    try server.start(
      ["--store", address, "--machine", other ?? machine, "--hooks", "0", "--listen", "0"] + options,
      environment: ["B2C_RUN_LEASE": "3"])
    return server
  }

  @discardableResult
  package func sql(_ text: String) throws -> String { try database.sql(text, in: name) }

  /// Waits until a query has this answer.
  package func wait(for answer: String, from query: String) throws {
    var last = ""
    for _ in 0..<600 {
      last = try sql(query)
      if last == answer { return }
      usleep(50_000)
    }
    Issue.record("\(query): expected \(answer), got \(last)\n\(logs)")
  }

  package var logs: String { servers.map { "--- \($0.key)\n\($0.value.text)" }.joined(separator: "\n") }

  package func curl(_ machine: String, _ path: String, port text: String = "the jobs are at", _ words: String...) throws
    -> String
  {
    let server = try #require(servers[machine])
    let url = "http://localhost:\(try server.port(text))\(path)"
    return try server.program.run(list: ["-s"] + words + [url], executable: URL(filePath: "/usr/bin/curl")).output
  }

  package func hook(_ machine: String, _ path: String) throws -> String {
    try curl(machine, path, port: "receiving webhooks", "-d", "x", "-w", "%{http_code}")
  }
}

extension Program {
  /// Hands the key of a database over to a program with another home.
  package func handKey(of address: String, to other: Program) throws {
    let file = folder.appending(path: "handed-\(UUID().uuidString).key").path
    for (program, action) in [(self, "export"), (other, "import")] {
      let result = try program.run("--store", address, "store", "key", action, file)
      try #require(result.status == 0, "\(result)")
    }
  }
}
