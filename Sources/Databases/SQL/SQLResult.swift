/// The result of a statement.
package struct SQLResult: Sendable {
  package var rows: [Row]
  /// The number of rows that an `INSERT`, `UPDATE` or `DELETE` changed.
  package var changes: Int

  package init(rows: [Row], changes: Int) {
    self.rows = rows
    self.changes = changes
  }
}
