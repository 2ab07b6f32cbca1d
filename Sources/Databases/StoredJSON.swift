package import JSON

extension RowReader {
  package func json(_ column: String) throws(DamagedRow) -> JSON {
    let text = try text(column)
    guard let json = try? JSON(parsing: text) else { throw damaged(column, "JSON") }
    return json
  }

  /// Nil for a null of the database, which is not the null of JSON.
  package func optionalJSON(_ column: String) throws(DamagedRow) -> JSON? {
    try isNull(column) ? Optional.none : json(column)
  }
}
