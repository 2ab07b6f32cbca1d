import Foundation
import TestSupport
import Testing

/// Machines with the same jobs, each with a folder and a home of its own.
final class RunningMachines {
  let database: PostgresServer
  let name: String
  let jobs: [String: String]
  private(set) var servers: [String: RunningServer] = [:]
  /// The first machine that served.
  private var keyHolder: Program?
  private var withKey: Set<String> = []

  init(_ jobs: [String: String], database: PostgresServer? = nil) throws {
    self.database = try database ?? .shared
    name = try self.database.makeDatabase()
    self.jobs = jobs
  }

  var address: String { database.address(name) }

  /// The folders of a machine, without a server.
  func make(_ machine: String, in program: Program? = nil) throws -> RunningServer {
    let server = try servers[machine] ?? RunningServer(jobs, in: program, isStarted: false)
    servers[machine] = server
    if let holder = keyHolder, withKey.insert(machine).inserted { try giveKey(of: holder, to: server.program) }
    return server
  }

  /// Hands the key over that the first machine has made.
  private func giveKey(of holder: Program, to program: Program) throws {
    let file = holder.folder.appending(path: "handed-\(UUID().uuidString).key").path
    for (program, action) in [(holder, "export"), (program, "import")] {
      let result = try program.run("--store", address, "store", "key", action, file)
      guard result.status == 0 else { throw Failure(description: "\(result)") }
    }
  }

  private struct Failure: Error, CustomStringConvertible { let description: String }

  /// A command on a machine, with the database.
  func run(_ machine: String, _ words: String...) throws -> Program.Result {
    try make(machine).program.run(list: ["--store", address] + words)
  }

  @discardableResult
  func start(
    _ machine: String, as other: String? = nil, in program: Program? = nil, options: [String] = []
  ) throws -> RunningServer {
    let server = try make(machine, in: program)
    try server.start(
      ["--store", address, "--machine", other ?? machine, "--hooks", "0", "--listen", "0"] + options,
      environment: ["B2C_RUN_LEASE": "3"])
    if keyHolder == nil {
      keyHolder = server.program
      withKey.insert(machine)
    }
    return server
  }

  @discardableResult
  func sql(_ text: String) throws -> String { try database.sql(text, in: name) }

  /// Waits until a query has this answer.
  func wait(for answer: String, from query: String) throws {
    var last = ""
    for _ in 0..<600 {
      last = try sql(query)
      if last == answer { return }
      usleep(50_000)
    }
    Issue.record("\(query): expected \(answer), got \(last)\n\(logs)")
  }

  var logs: String { servers.map { "--- \($0.key)\n\($0.value.text)" }.joined(separator: "\n") }

  func curl(_ machine: String, _ path: String, port text: String = "the jobs are at", _ words: String...) throws
    -> String
  {
    let server = try #require(servers[machine])
    let url = "http://localhost:\(try server.port(text))\(path)"
    return try server.program.run(list: ["-s"] + words + [url], executable: URL(filePath: "/usr/bin/curl")).output
  }

  func hook(_ machine: String, _ path: String) throws -> String {
    try curl(machine, path, port: "receiving webhooks", "-d", "x", "-w", "%{http_code}")
  }
}
