import SQLite

/// The rows of a journal that failed or are unsettled, in order of their number, read one by one.
package final class JournalFailures {
  private let read: (Int) throws(ImportError) -> JournalFailure?
  private var row = 0

  init(_ read: @escaping (_ after: Int) throws(ImportError) -> JournalFailure?) {
    self.read = read
  }

  /// The next one; nil at the end.
  package func next() throws(ImportError) -> JournalFailure? {
    let found = try read(row)
    if let found { row = found.failure.row }
    return found
  }

  /// The first one behind that row.
  /// - Parameter version: of the journal.
  static func first(
    after row: Int, in database: Connection, _ path: String, version: Int = JournalSchema.version
  ) throws -> JournalFailure? {
    let found = try database.first(
      """
      SELECT row, line, reason, code, status, text, is_unsettled, content\(version > 1 ? ", digest" : "") FROM failures
      WHERE row > ? ORDER BY row LIMIT 1
      """, .integer(Int64(row)))
    guard let found else { return nil }
    let failure = JournalFailure(
      RowFailure(
        row: Int(found[0].integer ?? 0), line: found[1].integer.map { Int($0) }, reason: found[2].text ?? "",
        code: found[3].text ?? "", status: found[4].integer.map { Int($0) }, text: found[5].text ?? "",
        isUnsettled: found[6].integer == 1),
      content: found[7].text)
    if version > 1, found[8].integer != failure.digest {
      throw ImportError.journalDamaged(path, "what it says of a failed row behind row \(row) has changed")
    }
    return failure
  }
}

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
