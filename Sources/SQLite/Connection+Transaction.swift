import CSQLite

extension Connection {
  /// Runs `body` in a write transaction: all of its changes are kept, or none when it throws.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // Some errors have rolled back already; then there is nothing to undo and this one would hide them.
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// Brings the schema up to date: runs the steps that this file has not seen, each in a transaction, counting them in
  /// `user_version`. A step that was once released must never change; add another.
  package func migrate(_ steps: [String]) throws(SQLiteError) {
    let version = Int(try first("PRAGMA user_version")?[0].integer ?? 0)
    guard version <= steps.count else {
      throw SQLiteError(
        kind: .tooNew,
        message:
          "\(path) was written by a newer version of this program (schema \(version), known here: \(steps.count))",
        hint: "update the program, or give another file", resultCode: SQLITE_SCHEMA, path: path)
    }
    for (index, step) in steps.enumerated().dropFirst(version) {
      try migrate(step, to: index + 1)
    }
  }

  private func migrate(_ step: String, to version: Int) throws(SQLiteError) {
    try execute("BEGIN IMMEDIATE")
    do {
      // Another process may have been faster while this one waited for the lock.
      let current = Int(try first("PRAGMA user_version")?[0].integer ?? 0)
      if current < version {
        try executeScript(step)
        try executeScript("PRAGMA user_version = \(version)")
      }
      try execute("COMMIT")
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }
}
