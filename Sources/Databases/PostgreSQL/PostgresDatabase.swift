package import DatabaseAddress
package import HostLoop

/// A PostgreSQL database as `Database`. It connects at the first statement, and again after the connection was lost.
@HostActor
package final class PostgresDatabase: Database {
  package nonisolated let dialect = Dialect.postgresql
  package nonisolated let address: PostgresAddress
  private var connection: PostgresConnection?
  private var isClosed = false
  private let turnstile = Turnstile()
  private let seeksCommits: Bool
  private let patience: Double

  /// - Parameters:
  ///   - seeksCommits: a transaction whose fate is not known waits until the server can be asked, however long that takes.
  ///   - patience: the seconds after which a statement without an answer has failed.
  package init(
    _ address: PostgresAddress, seeksCommits: Bool = false, patience: Double = PostgresConnection.patience
  ) {
    self.address = address
    self.seeksCommits = seeksCommits
    self.patience = patience
  }

  package nonisolated var place: String { address.shown }

  package func run(_ sql: String, _ values: [SQLValue]) async throws -> SQLResult {
    try await undisturbed { try await self.connected { try await $0.run(sql, values) } }
  }

  package func runScript(_ sql: String) async throws {
    try await undisturbed { try await self.connected { try await $0.runScript(sql) } }
  }

  /// The tries of what the server undoes because another transaction was in the way.
  private static let mostTries = 8

  /// Runs `body` alone on this connection. The server undoes one of two transactions that wait for each other
  /// (SQLSTATE 40P01, 40001): it is run again.
  private func undisturbed<Result: Sendable>(
    _ body: @HostActor () async throws -> Result
  ) async throws -> Result {
    var tries = 1
    while true {
      do { return try await turnstile.pass(body) } catch let error as PostgresError where error.kind == .conflict {
        guard tries < Self.mostTries else { throw error }
        // A random pause, so that the same two do not meet again.
        try await HostLoop.shared.sleep(seconds: Double.random(in: 0.005...0.05) * Double(tries))
        tries += 1
      }
    }
  }

  /// Runs a transaction, again if the server undoes it because of another one. If the connection is lost while the answer to the commit is awaited, the server is asked what
  /// became of it. If it cannot be asked either, the error is `database_commit_unknown`.
  package func transaction<Result: Sendable>(
    _ body: @HostActor (any Statements) async throws -> Result
  ) async throws -> Result {
    try await undisturbed {
      try await self.begun { connection in
        let result: Result
        let mark: CommitMark?
        do {
          result = try await body(Transaction(connection))
          // Nil for a transaction that has changed nothing.
          mark = try await connection.run(CommitMark.statement).rows.first.flatMap(CommitMark.init)
        } catch {
          // The server rolls back what a lost connection leaves.
          if !connection.isBroken {
            do { _ = try await connection.run("ROLLBACK") } catch { connection.drop() }
          }
          throw error
        }
        do { _ = try await connection.run("COMMIT") } catch let error as PostgresError where connection.isBroken {
          guard let mark else { return result }
          try await self.lookUp(mark, after: error)
        }
        return result
      }
    }
  }

  /// Returns if the transaction was committed, and throws `error` if it was not.
  private func lookUp(_ mark: CommitMark, after error: PostgresError) async throws {
    while true {
      let status: String?
      do {
        connection = nil
        status = try await connected { try await Self.status(of: mark, $0) }
      } catch let cause as PostgresError where cause.kind == .unreachable && seeksCommits {
        try await HostLoop.shared.sleep(seconds: 1)
        continue
      } catch { throw unknown(error) }
      switch status {
      case "committed": return
      case "aborted": throw error
      default: throw unknown(error)
      }
    }
  }

  private static func status(of mark: CommitMark, _ connection: PostgresConnection) async throws -> String? {
    var status: String?
    // A transaction whose connection is lost ends soon.
    for _ in 0..<20 {
      status = try await connection.run(CommitMark.statusStatement, mark.values).rows.first?[0].text
      if status != "in progress" { break }
      try await HostLoop.shared.sleep(seconds: 0.25)
    }
    return status
  }

  private func unknown(_ cause: any Error) -> PostgresError {
    PostgresError(
      .unknownCommit, "nobody knows whether \(place) has kept the last change: the answer got lost, and then: \(cause)",
      hint: "repeat the command when the server runs again: it looks first", place: place)
  }

  /// In seconds, for a server that does not answer. A start of the server or a change of the primary fits in.
  private nonisolated static let waitForServer = 6.0

  /// Repeats `body` while the database cannot be reached, for some seconds. Nothing that was done is repeated, because a
  /// commit whose answer got lost is looked up.
  /// - Parameters:
  ///   - place: the database, as messages name it.
  ///   - tell: gets a sentence when the server is waited for, once.
  package static func patiently<Result: Sendable>(
    _ place: String, _ tell: @HostActor (String) -> Void, _ body: @HostActor () async throws -> Result
  ) async throws -> Result {
    let deadline = HostLoop.uptime + waitForServer
    var pause = 0.1
    var isTold = false
    while true {
      do { return try await body() } catch let error as PostgresError where error.kind == .unreachable {
        guard HostLoop.uptime + pause < deadline else { throw error }
        if !isTold { tell("the database \(place) does not answer; waiting for \(Int(waitForServer)) seconds") }
        isTold = true
      }
      try await HostLoop.shared.sleep(seconds: pause)
      pause = min(pause * 2, 1)
    }
  }

  package func close() async {
    await turnstile.pass {
      self.isClosed = true
      self.connection?.drop()
      self.connection = nil
    }
  }

  /// The server ends a transaction whose client says nothing for 15 seconds: a machine that is paused or cut off would hold
  /// its locks for as long.
  /// A statement ends on the server shortly before it is given up here: else it would wait on for its locks, before
  /// those of others. Behind a pooler, a session is somebody else's after the transaction: nothing is set for it.
  private var begin: String {
    "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 15000; "
      + "SET LOCAL statement_timeout = \(max(1, Int(clamped: patience * 950)))"
  }

  /// Begins a transaction. A connection that was lost while nobody used it is made anew.
  private func begun<Result>(
    _ body: @HostActor (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    var isBegun = false
    if connection != nil {
      do {
        try await connected { try await $0.runScript(self.begin) }
        isBegun = true
      } catch let error as PostgresError {
        guard connection == nil else { throw error }
      }
    }
    return try await connected { connection in
      if !isBegun { try await connection.runScript(self.begin) }
      return try await body(connection)
    }
  }

  private func connected<Result>(
    _ body: @HostActor (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    guard !isClosed else { throw PostgresError(.other, "\(place) is closed", place: place) }
    if connection?.isBroken != false {
      connection = try await PostgresConnection.connect(to: address, patience: patience)
    }
    guard let connection else { throw PostgresError(.unreachable, "\(place) cannot be reached", place: place) }
    defer { if connection.isBroken, self.connection === connection { self.connection = nil } }
    return try await body(connection)
  }

  private final class Transaction: Statements {
    let dialect = Dialect.postgresql
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func run(_ sql: String, _ values: [SQLValue]) async throws -> SQLResult { try await connection.run(sql, values) }
  }
}
