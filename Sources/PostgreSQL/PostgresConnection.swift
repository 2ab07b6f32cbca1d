import CPQShims
import Core
import Glibc
package import HostLoop
package import SQL

/// One connection to a PostgreSQL server. Statements run one after the other; while one runs, the descriptor waits in
/// `HostLoop`. A canceled task drops the connection, because the statement may still be running.
@HostActor
package final class PostgresConnection {
  package nonisolated let address: PostgresAddress
  private let handle: Handle
  /// libpq closes it and forgets its number when the connection breaks.
  private let descriptor: Int32
  private var wait: CancellableWait<Void>?
  private var watched: Readiness?
  private(set) package var isBroken = false

  /// The seconds after which a statement without an answer has failed, unless somebody asks for others. The system takes a
  /// connection for dead after as many.
  package nonisolated static let patience = 20.0
  private let patience: Double

  /// Owns the connection's memory.
  private final class Handle: @unchecked Sendable {
    // Unchecked: one thread uses it at a time. The connecting thread hands it over.
    let connection: OpaquePointer
    private var isFinished = false
    init(_ connection: OpaquePointer) { self.connection = connection }
    deinit { finish() }

    /// Says goodbye to the server, and frees the memory.
    func finish() {
      if !isFinished { cpq_finish(connection) }
      isFinished = true
    }
  }

  /// The connections that nobody has given up, for the end of the program.
  private static var open: [ObjectIdentifier: Handle] = [:]

  /// Says goodbye to all servers: else each of them logs a connection that broke. Nothing may use a connection afterwards.
  package static func endAll() {
    for handle in open.values { handle.finish() }
    open = [:]
  }

  private init(_ address: PostgresAddress, _ handle: Handle, _ patience: Double) {
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

  /// Connects. Looking up the host's name blocks, so that a thread of its own does it; a canceled task does not wait for it.
  /// - Parameter patience: the seconds after which a statement without an answer has failed.
  package static func connect(
    to address: PostgresAddress, patience: Double = patience
  ) async throws -> PostgresConnection {
    try PostgresAddress.demandLibrary(address.shown)
    let wait = CancellableWait<Handle?>()
    let isStarted = SystemThread.start {
      let connection = withParameters(address.text) { cpq_connect($0, $1) }
      let handle = connection.map { Handle($0) }
      HostActor.task { wait.finish(.success(handle)) }
    }
    guard isStarted != nil else {
      throw PostgresError(.other, "the system has no thread left to connect to \(address.shown)", place: address.shown)
    }
    guard let handle = try await wait.value() else {
      throw PostgresError(.other, "there is no memory to connect to \(address.shown)", place: address.shown)
    }
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

  /// Unless the address says otherwise: the primary of several hosts, a dead host found out within seconds.
  private nonisolated static func withParameters<R>(
    _ address: String,
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> R
  ) -> R {
    let parameters = [
      ("fallback_application_name", "b2c-run"), ("connect_timeout", "10"), ("keepalives_idle", "10"),
      ("keepalives_interval", "5"), ("keepalives_count", "2"), ("tcp_user_timeout", "\(Int(patience) * 1000)"),
      ("target_session_attrs", "read-write"), ("gssencmode", "disable"), ("client_encoding", "UTF8"),
      // The last: later values win, and the address is to win.
      ("dbname", address),
    ]
    let keywords = parameters.map { strdup($0.0) } + [nil]
    let values = parameters.map { strdup($0.1) } + [nil]
    defer { for text in keywords + values { free(text) } }
    return keywords.map { UnsafePointer($0) }.withUnsafeBufferPointer { keywords in
      values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
        body(keywords.baseAddress!, values.baseAddress!)
      }
    }
  }

  /// libpq has no codes for errors of connecting; the server's messages are in its language, those of libpq are not.
  private static func refusal(_ text: String, _ address: PostgresAddress) -> PostgresError {
    var lines: [Substring] = []
    for line in text.split(separator: "\n").map({ $0.trimmingPrefix { $0.isWhitespace } }) {
      // libpq tries with and without TLS, and may fail twice for one reason.
      if !lines.contains(line) { lines.append(line) }
    }
    let reason = lines.joined(separator: "; ")
    let (kind, hint) = meaning(of: reason, address)
    return PostgresError(kind, "cannot connect to \(address.shown): \(reason)", hint: hint, place: address.shown)
  }

  private static func meaning(of reason: String, _ address: PostgresAddress) -> (PostgresError.Kind, String?) {
    if reason.contains("no password supplied") { return (.refused, address.adviceOnPassword) }
    for (part, kind, hint) in refusals where reason.contains(part) { return (kind, hint) }
    // Between the severity and the text of a server, libpq writes a colon and two spaces.
    if reason.contains(":  ") {
      return (
        .unreachable,
        "the server answers, and its message says why it lets nobody in: perhaps the user, the database, the password or "
          + "pg_hba.conf; or it is starting, or has no connection left"
      )
    }
    return (.unreachable, "check the host and the port, and that the server runs")
  }

  private static let refusals: [(String, PostgresError.Kind, String?)] = [
    (
      "root certificate", .refused,
      "name the file of the authority's certificate in the address, sslrootcert=FILE, or put it at ~/.postgresql/root.crt"
    ),
    ("password", .refused, "check the password in the file of PGPASSFILE (by default ~/.pgpass)"),
    (
      "startup parameter", .refused,
      "PgBouncer refuses parameters that it does not know: leave them out of the address, such as options, or name them in "
        + "ignore_startup_parameters of pgbouncer.ini"
    ),
    ("does not exist", .refused, "check the names of the user and the database"),
    ("pg_hba.conf", .refused, "allow the user and this machine in pg_hba.conf on the server"),
    ("read-only", .readOnly, "this is a standby: give the address of the primary server, or of all servers"),
    ("hot standby", .readOnly, "this is a standby: give the address of the primary server, or of all servers"),
    ("certificate", .refused, "check sslrootcert and sslmode of the address"),
    ("SSL", .refused, "check sslmode of the address"),
  ]

  // MARK: Statements

  /// Runs one statement with its values, with the placeholders `?` or `?1`.
  package func run(_ sql: String, _ values: [SQLValue] = []) async throws -> SQLResult {
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
    guard send() == 1 else { throw broken(sql) }
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
      guard cpq_consume(handle.connection) == 1 else { throw broken(sql) }
    }
  }

  /// All results are read before an error is thrown, so that the next statement finds the connection free.
  private func results(_ sql: String, _ deadline: Double) async throws -> SQLResult {
    var answer = SQLResult(rows: [], changes: 0)
    var failure: PostgresError?
    while true {
      while cpq_is_busy(handle.connection) != 0 {
        try await ready(for: .read, sql, deadline)
        guard cpq_consume(handle.connection) == 1 else { throw broken(sql) }
      }
      guard let result = cpq_result(handle.connection) else { break }
      defer { cpq_clear(result) }
      switch ExecStatusType(UInt32(cpq_status(result))) {
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_TUPLES_OK: answer = PostgresText.result(result)
      default: failure = failure ?? error(of: result, sql)
      }
    }
    if cpq_is_bad(handle.connection) != 0 { drop() }
    if let failure { throw failure }
    return answer
  }

  private func error(of result: OpaquePointer, _ sql: String) -> PostgresError {
    func field(_ letter: Character) -> String? {
      cpq_error_field(result, Int32(letter.asciiValue ?? 0)).map { String(cString: $0) }
    }
    // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY, which are macros of characters.
    return PostgresError(
      sqlState: field("C"), reason: field("M") ?? String(cString: cpq_result_error(result)), place: address.shown,
      sql: sql)
  }

  // MARK: Waiting

  private func ready(for readiness: Readiness, _ sql: String, _ deadline: Double) async throws {
    let wait = CancellableWait<Void>()
    self.wait = wait
    let timer = HostLoop.shared.schedule(after: deadline - HostLoop.uptime) { [self] in
      wait.finish(.failure(lost(sql, "no answer for \(Int(patience)) seconds")))
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
    let reason = String(cString: cpq_error(handle.connection)).split(separator: "\n").joined(separator: "; ")
    drop()
    return lost(sql, reason)
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
