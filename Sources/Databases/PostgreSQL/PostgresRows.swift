import CPQShims

/// The rows of a statement's result, taken over one by one.
struct PostgresRows {
  private(set) var rows: [Row] = []
  /// The bytes of all values so far.
  private(set) var size = 0
  private var columns: [String] = []
  private var types: [UInt32] = []

  /// A value that does not have the form of its column's type.
  struct Unreadable: Error {
    let column: String
  }

  /// Takes the one row of a result.
  mutating func take(_ result: OpaquePointer) throws(Unreadable) {
    if rows.isEmpty {
      columns = (0..<cpq_columns(result)).map { String(cString: cpq_column_name(result, $0)) }
      types = (0..<cpq_columns(result)).map { cpq_column_type(result, $0) }
    }
    for row in 0..<cpq_rows(result) {
      var values: [SQLValue] = []
      values.reserveCapacity(types.count)
      for (index, type) in types.enumerated() {
        let column = Int32(index)
        guard cpq_is_null(result, row, column) == 0 else {
          values.append(.null)
          continue
        }
        let start = UnsafeRawPointer(cpq_value(result, row, column)).assumingMemoryBound(to: UInt8.self)
        let bytes = UnsafeBufferPointer(start: start, count: Int(cpq_value_length(result, row, column)))
        size += bytes.count
        guard let value = PostgresText.value(bytes, type) else { throw Unreadable(column: columns[index]) }
        values.append(value)
      }
      // A row takes memory, even without values.
      size += 16 * (values.count + 1)
      rows.append(Row(columns: columns, values: values))
    }
  }
}
