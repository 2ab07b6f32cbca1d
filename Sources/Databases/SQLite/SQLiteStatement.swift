import CSQLite

/// A prepared statement. It belongs to one connection, which keeps it to be used again.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let columns: [String]

  /// Nil with the connection's error set, when the SQL is wrong.
  init?(_ sql: String, database: OpaquePointer) {
    var handle: OpaquePointer?
    guard sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil) == SQLITE_OK,
      let handle
    else { return nil }
    self.handle = handle
    columns = (0..<sqlite3_column_count(handle)).map {
      sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? ""
    }
  }

  deinit { sqlite3_finalize(handle) }

  /// Runs from the start with these values, calling `row` with each row; the result is SQLite's code, `SQLITE_DONE` at best.
  func run(_ values: [SQLValue], row: (Row) -> Void) -> Int32 {
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() {
      let result = bind(value, at: Int32(index + 1))
      guard result == SQLITE_OK else { return result }
    }
    while true {
      let result = sqlite3_step(handle)
      guard result == SQLITE_ROW else { return result }
      row(Row(columns: columns, values: columns.indices.map { value(at: Int32($0)) }))
    }
  }

  private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
    // `SQLITE_TRANSIENT`, a cast in a macro that Swift does not import: SQLite copies the bytes.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    return switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let value): sqlite3_bind_int64(handle, index, value)
    case .real(let value): sqlite3_bind_double(handle, index, value)
    case .text(let value): sqlite3_bind_text(handle, index, value, Int32(value.utf8.count), copied)
    // An empty array has no address, and a null one would be bound as NULL.
    case .blob(let value) where value.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
    case .blob(let value): sqlite3_bind_blob(handle, index, value, Int32(value.count), copied)
    }
  }

  private func value(at index: Int32) -> SQLValue {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
    case SQLITE_TEXT:
      // The text first: asking for it may convert, which changes the count.
      let start = sqlite3_column_text(handle, index)
      let count = Int(sqlite3_column_bytes(handle, index))
      return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(handle, index)
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))))
    default: return .null
    }
  }
}
