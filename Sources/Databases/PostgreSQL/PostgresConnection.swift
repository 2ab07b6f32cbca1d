import CPQShims
import Core
package import DatabaseAddress
import Glibc
package import HostLoop

/// One connection to a PostgreSQL server. Statements run one after the other; while one runs, the descriptor waits in
/// `HostLoop`. A canceled task drops the connection, because the statement may still be running.
@HostActor
package final class PostgresConnection {
  package nonisolated let address: PostgresAddress
  private let handle: PostgresHandle
  /// libpq closes it and forgets its number when the connection breaks.
  private let descriptor: Int32
  private var wait: CancellableWait<Void>?
  private var watched: Readiness?
  private(set) package var isBroken = false
  /// The bytes that were received since the last result, at most.
  private var received = 0

  /// The seconds after which a statement without an answer has failed, unless somebody asks for others. The system takes a
  /// connection for dead after as many.
  package nonisolated static let patience = 20.0
  private let patience: Double

  /// The connections that nobody has given up, for the end of the program.
  private static var open: [ObjectIdentifier: PostgresHandle] = [:]

  /// Says goodbye to all servers: else each of them logs a connection that broke. Nothing may use a connection afterwards.
  package static func endAll() {
    for handle in open.values { handle.finish() }
    open = [:]
  }

  private init(_ address: PostgresAddress, _ handle: PostgresHandle, _ patience: Double) {
    self.address = address
    self.patience = patience
    self.handle = handle
    descriptor = cpq_socket(handle.connection)
    Self.open[ObjectIdentifier(self)] = handle
  }

  isolated deinit {
    if watched != nil { HostLoop.shared.unwatch(descriptor) }
    Self.open[ObjectIdentifier(self)] = nil
  }

  // MARK: Connecting

  /// Connects.
  /// - Parameter patience: the seconds after which a statement without an answer has failed.
  package static func connect(
    to address: PostgresAddress, patience: Double = patience
  ) async throws -> PostgresConnection {
    let handle = try await PostgresAttempt(address, patience: patience).connect()
    guard cpq_is_bad(handle.connection) == 0, cpq_set_nonblocking(handle.connection) == 0 else {
      throw refusal(String(cString: cpq_error(handle.connection)), address)
    }
    let version = cpq_server_version(handle.connection)
    guard version >= 140_000 else {
      throw PostgresError(
        .tooOld, "\(address.shown) is PostgreSQL \(version / 10000), and 14 or later is needed",
        hint: "use a newer server",
        place: address.shown)
    }
    return PostgresConnection(address, handle, patience)
  }

  /// libpq writes the message, with that of the server in it.
  private static func refusal(_ text: String, _ address: PostgresAddress) -> PostgresError {
    let refusal = PostgresRefusal(text)
    let (kind, hint) = refusal.meaning(address)
    return PostgresError(
      kind, "cannot connect to \(address.shown): \(refusal.reason)", hint: hint, place: address.shown,
      sqlState: refusal.sqlState)
  }

  // MARK: Statements

  /// Runs one statement with its values, with the placeholders `?` or `?1`.
  package func run(_ sql: String, _ values: [SQLValue] = []) async throws -> SQLResult {
    if let place = PostgresText.unfit(values) {
      throw PostgresError(
        .badValue,
        "\(address.shown): value \(place) of `\(sql.abbreviatedSQL)` is a text with the character NUL, or larger than 2 GiB, which PostgreSQL does not store",
        hint: "take the NUL out of the text", place: address.shown, sql: sql)
    }
    let text = PostgresText.placeholders(sql)
    return try await exchange(sql) {
      PostgresText.withValues(values) { cpq_send(handle.connection, text, Int32(values.count), $0, $1) }
    }
  }

  /// Runs several statements without values.
  package func runScript(_ sql: String) async throws {
    _ = try await exchange(sql) { cpq_send_script(handle.connection, sql) }
  }

  private func exchange(_ sql: String, _ send: () -> Int32) async throws -> SQLResult {
    guard !isBroken else { throw lost(sql, "the connection is closed") }
    guard send() == 1, cpq_set_row_mode(handle.connection) == 1 else { throw broken(sql) }
    do {
      let deadline = HostLoop.uptime + patience
      try await flush(sql, deadline)
      return try await results(sql, deadline)
    } catch is CancellationError {
      drop()
      throw CancellationError()
    }
  }

  private func flush(_ sql: String, _ deadline: Double) async throws {
    while true {
      let state = cpq_flush(handle.connection)
      if state == 0 { return }
      guard state == 1 else { throw broken(sql) }
      // A server that has sent much reads nothing before it is read.
      try await ready(for: [.read, .write], sql, deadline)
      try consume(sql)
    }
  }

  /// The bytes that the result of one statement may have. It is far more than any statement of the program asks for.
  package nonisolated static let largestResult = 128 << 20

  /// All results are read before an error is thrown, so that the next statement finds the connection free.
  private func results(_ sql: String, _ deadline: Double) async throws -> SQLResult {
    var answer = SQLResult(rows: [], changes: 0)
    var failure: PostgresError?
    var rows = PostgresRows()
    while true {
      while cpq_is_busy(handle.connection) != 0 {
        try await ready(for: .read, sql, deadline)
        try consume(sql)
      }
      received = 0
      guard HostLoop.uptime < deadline else { throw late(sql) }
      guard let result = cpq_result(handle.connection) else { break }
      defer { cpq_clear(result) }
      switch ExecStatusType(UInt32(cpq_status(result))) {
      case PGRES_SINGLE_TUPLE:
        do { try rows.take(result) } catch { failure = failure ?? unreadable(error.column, sql) }
        guard rows.size <= Self.largestResult else { throw tooLarge(sql) }
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_TUPLES_OK:
        answer = SQLResult(rows: rows.rows, changes: Int(String(cString: cpq_changed_rows(result))) ?? 0)
        rows = PostgresRows()
      case PGRES_FATAL_ERROR: failure = failure ?? error(of: result, sql)
      // Such as a copy, in which libpq gives the same status for ever.
      default: throw unexpected(sql, "it answers what no statement of this program asks for")
      }
    }
    if cpq_is_bad(handle.connection) != 0 { drop() }
    if let failure { throw failure }
    return answer
  }

  /// Reads what is there. Of one message of the server, there may be as much as of a whole result.
  private func consume(_ sql: String) throws {
    received += Int(cpq_waiting(handle.connection))
    guard received <= 2 * Self.largestResult else { throw tooLarge(sql) }
    guard cpq_consume(handle.connection) == 1 else { throw broken(sql) }
  }

  private func tooLarge(_ sql: String) -> PostgresError {
    unexpected(sql, "its answer has more than \(Self.largestResult >> 20) MiB")
  }

  private func unreadable(_ column: String, _ sql: String) -> PostgresError {
    PostgresError(
      .other,
      "\(address.shown): the server's answer to `\(sql.abbreviatedSQL)` has a value in the column "
        + "\(column.displayable.clipped(to: 60)) that its type does not have", place: address.shown, sql: sql)
  }

  /// Gives up a connection whose server does not keep to the rules.
  private func unexpected(_ sql: String, _ reason: String) -> PostgresError {
    drop()
    return PostgresError(
      .other, "the connection to \(address.shown) was closed after `\(sql.abbreviatedSQL)`: \(reason)",
      hint: "see whether that is a PostgreSQL server, and what it logs", place: address.shown, sql: sql)
  }

  private func error(of result: OpaquePointer, _ sql: String) -> PostgresError {
    func field(_ letter: Character) -> String? {
      cpq_error_field(result, Int32(letter.asciiValue ?? 0)).map { String(cString: $0) }
    }
    // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY, which are macros of characters.
    return PostgresError(
      sqlState: field("C"), reason: Self.line(field("M") ?? String(cString: cpq_result_error(result))),
      place: address.shown, sql: sql)
  }

  /// A text of the server or of libpq as one line.
  private static func line(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: "; ").displayable.clipped(to: 1000)
  }

  // MARK: Waiting

  private func ready(for readiness: Readiness, _ sql: String, _ deadline: Double) async throws {
    // Data that comes all the time is no answer.
    guard HostLoop.uptime < deadline else { throw late(sql) }
    let wait = CancellableWait<Void>()
    self.wait = wait
    let timer = HostLoop.shared.schedule(after: deadline - HostLoop.uptime) { [self] in
      wait.finish(.failure(late(sql)))
    }
    defer {
      HostLoop.shared.cancel(timer)
      self.wait = nil
    }
    watch(readiness)
    do { try await wait.value() } catch {
      drop()
      throw error
    }
  }

  private func watch(_ readiness: Readiness) {
    guard watched != readiness else { return }
    watched = readiness
    HostLoop.shared.watch(descriptor, for: readiness, by: self)
  }

  private func broken(_ sql: String) -> PostgresError {
    let reason = Self.line(String(cString: cpq_error(handle.connection)))
    drop()
    return lost(sql, reason)
  }

  private func late(_ sql: String) -> PostgresError {
    drop()
    return lost(sql, "no answer for \(Int(patience)) seconds")
  }

  private func lost(_ sql: String, _ reason: String) -> PostgresError {
    PostgresError(
      .unreachable, "the connection to \(address.shown) is lost: \(reason)", hint: "check that the server runs",
      place: address.shown, sql: sql)
  }

  /// Gives the connection up. The server rolls back a transaction that goes on.
  package func drop() {
    isBroken = true
    if watched != nil { HostLoop.shared.unwatch(descriptor) }
    watched = nil
  }
}

extension PostgresConnection: DescriptorHandler {
  package func ready(_ descriptor: Int32, for readiness: Readiness) {
    // Between statements nobody reads: what the server sends then, such as the news of its end, is read by the next one.
    guard let wait else {
      HostLoop.shared.unwatch(descriptor)
      watched = nil
      return
    }
    wait.finish(.success(()))
  }
}
