import Core

/// An error of PostgreSQL, or of the way to it.
package struct PostgresError: Failure {
  package enum Kind: String, Sendable {
    /// No server answers there, or the connection broke.
    case unreachable = "database_unreachable"
    /// The server does not let the user in, or does not know the database.
    case refused = "database_refused"
    /// The user may not do it.
    case noRights = "database_no_rights"
    /// The server only reads, such as a standby.
    case readOnly = "database_read_only"
    case diskFull = "disk_full"
    /// A uniqueness, foreign key, check or not-null rule.
    case constraint = "database_constraint"
    /// Two transactions were in each other's way.
    case conflict = "database_conflict"
    /// The answer to a commit got lost, and nobody knows whether it happened.
    case unknownCommit = "database_commit_unknown"
    /// The server ended the statement, because it took too long or because somebody ended it.
    case ended = "database_statement_ended"
    /// A value that PostgreSQL cannot store.
    case badValue = "database_bad_value"
    case noTable = "database_no_schema"
    /// The server's version is too old.
    case tooOld = "database_server_too_old"
    case other = "database_error"
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  /// The address without a password.
  package var place: String
  /// The code of PostgreSQL, such as `23505`; nil if the server sent none.
  package var sqlState: String?
  /// The statement that failed, without its values.
  package var sql: String?

  package init(
    _ kind: Kind, _ message: String, hint: String? = nil, place: String, sqlState: String? = nil, sql: String? = nil
  ) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.place = place
    self.sqlState = sqlState
    self.sql = sql
  }

  package var code: String { kind.rawValue }
  /// True if the same may work later: the server is back, has room again, or has become the primary server.
  package var isRetryable: Bool {
    switch kind {
    case .unreachable, .conflict, .ended, .diskFull, .readOnly: true
    default: false
    }
  }
  /// True if the same may work later, or if it is only not known whether it worked.
  package var isPassing: Bool { isRetryable || kind == .unknownCommit }
  package var details: [String: String] {
    var details = ["place": place]
    details["sqlstate"] = sqlState
    details["sql"] = sql
    return details
  }
}

extension PostgresError {
  /// The error of a statement, by its SQLSTATE (PostgreSQL 15, appendix A).
  init(sqlState: String?, reason: String, place: String, sql: String?) {
    let known = sqlState.flatMap(Self.meaning)
    var hint = known?.hint
    if known?.kind == .noRights {
      let makes = ["CREATE", "ALTER", "DROP"].contains { sql?.trimmingPrefix { $0.isWhitespace }.hasPrefix($0) == true }
      hint =
        makes
        ? "let the owner of the database run once: b2c-run store upgrade; or: GRANT CREATE ON SCHEMA public TO USER"
        : "grant the user the rights: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO USER"
    }
    let statement = sql.map { " in `\($0.abbreviatedSQL)`" } ?? ""
    self.init(
      known?.kind ?? (sqlState == nil ? .unreachable : .other),
      "\(place): \(reason)" + (known == nil && sqlState != nil ? statement : ""), hint: hint, place: place,
      sqlState: sqlState, sql: sql)
  }

  /// The kind of error and the way out that a SQLSTATE stands for; nil if the program knows nothing about it.
  static func meaning(of sqlState: String) -> (kind: Kind, hint: String?)? {
    meanings.first { sqlState.hasPrefix($0.state) }.map { ($0.kind, $0.hint) }
  }

  /// The beginnings of codes, the longest first.
  private static let meanings: [(state: String, kind: Kind, hint: String?)] = [
    (
      "25006", .readOnly,
      "give the address of the primary server, or of all servers: postgresql://USER@HOST1,HOST2/NAME"
    ),
    ("28P01", .refused, "check the password in the file of PGPASSFILE (by default ~/.pgpass)"),
    ("28", .refused, "check the user, and allow this machine in pg_hba.conf on the server"),
    ("3D000", .refused, "make the database: createdb -h HOST -U USER NAME"),
    ("42501", .noRights, nil),
    ("42P01", .noTable, "make the tables: b2c-run store upgrade"),
    ("3F000", .noTable, "make the tables: b2c-run store upgrade"),
    ("53100", .diskFull, "make room on the server's disk"),
    ("53", .unreachable, "the server is short of memory or connections; see max_connections on the server"),
    ("57014", .ended, "see statement_timeout on the server, and what it logs"),
    ("57P04", .refused, "make the database again: createdb -h HOST -U USER NAME"),
    ("57P", .unreachable, nil),
    ("08P01", .other, nil),
    ("08", .unreachable, nil),
    // A transaction that said nothing for too long; what follows in one that has failed.
    ("25P03", .unreachable, nil),
    ("25P02", .conflict, nil),
    ("40", .conflict, nil),
    ("55P03", .conflict, nil),
    ("23", .constraint, nil),
  ]
}
