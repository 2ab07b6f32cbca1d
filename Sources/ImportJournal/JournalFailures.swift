import Databases
package import ImportFormats
import JSON

/// The rows of a journal that failed or are unsettled, in order of their number, read one by one.
package final class JournalFailures {
  private let read: (Int) throws(ImportError) -> JournalFailure?
  private var row = 0

  init(_ read: @escaping (_ after: Int) throws(ImportError) -> JournalFailure?) { self.read = read }

  /// The next row; nil at the end.
  package func next() throws(ImportError) -> JournalFailure? {
    let found = try read(row)
    if let found { row = found.failure.row }
    return found
  }

  static func first(
    after row: Int, in database: SQLiteConnection, _ path: String, version: Int = JournalSchema.version
  ) throws -> JournalFailure? {
    let found = try database.first(
      """
      SELECT *, coalesce((SELECT key FROM carried WHERE carried.row = failures.row), (SELECT id FROM journal) || '-' || row)
        AS origin FROM failures WHERE row > ? ORDER BY row LIMIT 1
      """, .integer(Int64(row)))
    guard let found else { return nil }
    let number = { (name: String) in found[name].integer.map { Int($0) } }
    let text = { (name: String) in found[name].text ?? "" }
    var failure = JournalFailure(
      RowFailure(
        row: number("row") ?? 0, line: number("line"), reason: text("reason"), code: text("code"),
        status: number("status"), text: text("text"), isUnsettled: number("is_unsettled") == 1),
      content: found["content"].text)
    failure.origin = found["origin"].text.flatMap { RowOrigin($0) }
    if version > 1, found["digest"].integer != failure.digest {
      throw ImportError.journalDamaged(path, "what it says of a failed row behind row \(row) has changed")
    }
    return failure
  }
}

extension JournalFailure {
  /// Tells the failure from any other, also from one of another row.
  fileprivate var digest: Int64 { JournalDigests.hash(values) }

  /// The values of all columns but `digest`, in their order.
  var values: [SQLValue] {
    [
      .integer(Int64(failure.row)), .init(failure.line.map { Int64($0) }), .text(failure.reason), .text(failure.code),
      .init(failure.status.map { Int64($0) }), .text(failure.text), .integer(failure.isUnsettled ? 1 : 0),
      .init(content),
    ]
  }

  func write(_ database: SQLiteConnection, prefix: String = "") throws(SQLiteError) {
    try database.execute(
      "INSERT OR REPLACE INTO \(prefix)failures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values: values + [.integer(digest)]
    )
  }
}
