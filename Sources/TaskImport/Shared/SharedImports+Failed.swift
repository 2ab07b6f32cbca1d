import Databases

extension SharedImports {
  /// The rows that failed in an import into that account and API, and why; nil if there is no such import.
  func failedRows(of id: String, like identity: ImportIdentity) async throws -> [Int: String]? {
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
  func settleFailed(_ id: String, _ rows: [Int]) async throws -> Int {
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
}
