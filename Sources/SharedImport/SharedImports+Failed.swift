import Databases
import HostLoop
package import ImportEngine
package import ImportFormats

extension SharedImports {
  /// The rows that failed in an import into that account and API, and why; nil if there is no such import.
  package func failedRows(of id: String, like identity: ImportIdentity) async throws -> [Int: String]? {
    guard let found = try await load(id), found.identity.account == identity.account, found.identity.api == identity.api
    else { return nil }
    let rows = try await database.query(
      "SELECT row, reason FROM failure WHERE import_id = ? AND is_unsettled = 0", .text(id))
    return Dictionary(
      try rows.map {
        let read = reader($0, of: "failure")
        return (try read.count("row"), try read.text("reason"))
      }
    ) { first, _ in first }
  }

  /// Counts failed rows of an import that is done as added, because another import has added them. Returns their number. The
  /// rows of an import that goes on are left: its machines count them.
  package func settleFailed(_ id: String, _ rows: [Int]) async throws -> Int {
    try await database.transaction { statements in
      let state = try await statements.first("SELECT state FROM import WHERE id = ? FOR UPDATE", .text(id))
      guard state?[0] == .text("done") else { return 0 }
      var count: Int64 = 0
      for row in rows {
        count += Int64(
          try await statements.execute(
            "DELETE FROM failure WHERE import_id = ? AND row = ? AND is_unsettled = 0", .text(id), .integer(Int64(row)))
        )
      }
      try await statements.execute(
        "UPDATE import SET added = added + ?1, failed = failed - ?1, updated = now() WHERE id = ?2", .integer(count),
        .text(id))
      return Int(count)
    }
  }

  package func failures(of id: String, after row: Int, limit: Int = 500) async throws -> [JournalFailure] {
    try await database.query(
      """
      SELECT row, line, code, status, reason, text, is_unsettled, content FROM failure WHERE import_id = ? AND row > ?
      ORDER BY row LIMIT ?
      """, .text(id), .integer(Int64(row)), .integer(Int64(limit))
    ).map { row in
      let read = reader(row, of: "failure")
      return JournalFailure(
        RowFailure(
          row: try read.count("row"), line: try read.optionalCount("line"), reason: try read.text("reason"),
          code: try read.text("code"), status: try read.optionalCount("status"), text: try read.text("text"),
          isUnsettled: try read.flag("is_unsettled")), content: try read.optionalText("content"),
        origin: RowOrigin(journal: id, row: try read.count("row")))
    }
  }

  static func add(_ failures: [JournalFailure], to id: String, _ statements: any Statements) async throws {
    for row in failures {
      let failure = row.failure
      try await statements.execute(
        """
        INSERT INTO failure (import_id, row, line, reason, code, status, text, is_unsettled, content)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (import_id, row) DO UPDATE SET reason = excluded.reason,
          code = excluded.code, status = excluded.status, text = excluded.text, is_unsettled = excluded.is_unsettled
        """,
        values: [
          .text(id), .integer(Int64(failure.row)), .init(failure.line.map { Int64($0) }), .text(failure.reason),
          .text(failure.code), .init(failure.status.map { Int64($0) }), .text(failure.text),
          .integer(failure.isUnsettled ? 1 : 0), .init(row.content),
        ])
    }
  }

  /// Returns a function that reads the failed and unsettled rows of an import, in order of their number.
  package func failureReader(of id: String) -> @HostActor () async throws -> JournalFailure? {
    var rows: ArraySlice<JournalFailure> = []
    var last = 0
    var isAtEnd = false
    return {
      if rows.isEmpty, !isAtEnd {
        rows = try await self.failures(of: id, after: last)[...]
        isAtEnd = rows.isEmpty
      }
      let next = rows.popFirst()
      if let next { last = next.failure.row }
      return next
    }
  }
}
