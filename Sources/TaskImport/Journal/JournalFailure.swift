import SQLite

/// A row that failed or is unsettled, with what stood in the source.
package struct JournalFailure: Sendable, Equatable {
  package var failure: RowFailure
  /// The row's content before any mapping, as JSON; nil where it is not known.
  package var content: String?

  package init(_ failure: RowFailure, content: String?) {
    self.failure = failure
    self.content = content
  }
}

extension JournalFailure {
  /// Tells the failure from any other, also one of another row.
  var digest: Int64 {
    var hash = RecordHash()
    hash.add(failure.row)
    hash.add(failure.line)
    hash.add(failure.reason)
    hash.add(failure.code)
    hash.add(failure.status)
    hash.add(failure.text)
    hash.add(failure.isUnsettled ? 1 : 0)
    hash.add(content)
    return hash.value
  }

  /// - Parameter prefix: of the table's name.
  func write(_ database: Connection, prefix: String = "") throws(SQLiteError) {
    try database.execute(
      """
      INSERT OR REPLACE INTO \(prefix)failures (row, line, reason, code, status, text, is_unsettled, content, digest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(Int64(failure.row)), .init(failure.line.map { Int64($0) }), .text(failure.reason), .text(failure.code),
      .init(failure.status.map { Int64($0) }), .text(failure.text), .integer(failure.isUnsettled ? 1 : 0),
      .init(content), .integer(digest))
  }
}
