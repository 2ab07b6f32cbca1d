/// One row of a result.
package struct Row: Sendable {
  /// The result's column names, shared by its rows.
  package let columns: [String]
  package let values: [SQLValue]

  package init(columns: [String], values: [SQLValue]) {
    self.columns = columns
    self.values = values
  }

  /// The value of that column; null where the result has none of that name.
  package subscript(_ column: String) -> SQLValue {
    columns.firstIndex(of: column).map { self[$0] } ?? .null
  }

  /// The value of the column at that place, from 0; null where the result has fewer columns.
  package subscript(_ index: Int) -> SQLValue { values.indices.contains(index) ? values[index] : .null }
}
