import CSQLite
import Core

/// An error of SQLite, with the file and the statement.
package struct SQLiteError: Failure {
  package enum Kind: String, Sendable {
    /// Another connection holds the lock, and did so for the whole busy timeout.
    case busy = "database_busy"
    /// The file is something else, or it is encrypted.
    case notADatabase = "not_a_database"
    case corrupt = "database_corrupt"
    /// The file or its folder cannot be opened or made.
    case cannotOpen = "database_cannot_open"
    case readOnly = "database_read_only"
    case diskFull = "disk_full"
    /// The disk refused to read or write; a very full one does so too.
    case ioError = "disk_error"
    /// A uniqueness, foreign key, check or not-null rule.
    case constraint = "database_constraint"
    /// A newer version of this program wrote the file.
    case tooNew = "database_too_new"
    case other = "database_error"
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  /// SQLite's extended result code, such as 2067 for `SQLITE_CONSTRAINT_UNIQUE`.
  package var resultCode: Int32
  /// The file, or `:memory:`.
  package var path: String
  /// The statement that failed, without its values; nil where none had been run.
  package var sql: String?

  package var code: String { kind.rawValue }
  package var isRetryable: Bool { kind == .busy }
  package var details: [String: String] {
    var details = ["path": path, "result_code": String(resultCode)]
    details["sql"] = sql
    return details
  }
}

extension SQLiteError {
  /// A connection that was closed is used.
  package static func closed(_ path: String) -> SQLiteError {
    SQLiteError(resultCode: SQLITE_MISUSE, reason: "the database is closed", path: path)
  }

  init(resultCode: Int32, reason: String, path: String, sql: String? = nil) {
    let known = Self.kinds.first { $0.codes.contains(resultCode & 0xff) }
    let kind = known?.kind ?? .other
    self.init(
      kind: kind,
      // Which statement first met a file of another kind says nothing.
      message: "\(path): \(reason)" + (kind == .notADatabase ? "" : sql.map { " in `\($0.abbreviatedSQL)`" } ?? ""),
      hint: known?.hint, resultCode: resultCode, path: path, sql: sql)
  }

  /// SQLite's primary result codes with their meaning and the way out.
  private static let kinds: [(codes: [Int32], kind: Kind, hint: String?)] = [
    ([SQLITE_BUSY, SQLITE_LOCKED], .busy, "another process is writing to this file; try again"),
    ([SQLITE_NOTADB], .notADatabase, "give another file, or move this one away: it was not made by this program"),
    ([SQLITE_CORRUPT], .corrupt, nil),
    (
      [SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH], .cannotOpen,
      "check that the folder exists and that this user may write to it"
    ),
    ([SQLITE_READONLY], .readOnly, "check who owns the file and its folder"),
    ([SQLITE_FULL], .diskFull, "make room on the disk and try again"),
    ([SQLITE_IOERR], .ioError, "see whether the disk is full or broken"),
    ([SQLITE_CONSTRAINT], .constraint, nil),
  ]
}
