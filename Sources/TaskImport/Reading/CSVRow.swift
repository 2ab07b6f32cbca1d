/// One row of a CSV file: its fields, quotes taken off.
package struct CSVRow: Sendable {
  /// The names of the columns.
  package let header: CSVHeader
  /// The line in the file on which the row begins, counting from 1.
  package var line: Int { record.line }
  var record = CSVRecord()

  init(header: CSVHeader) {
    self.header = header
  }

  package var count: Int { record.fields.count }

  /// A field by its position, counting from 0.
  package subscript(_ index: Int) -> String {
    record.text(of: index)
  }

  /// A field by its column's name; nil when there is no such column.
  package subscript(_ name: String) -> String? {
    header.index(of: name).map { self[$0] }
  }

  /// Whether nothing stands in a field.
  func isEmpty(_ index: Int) -> Bool { record.fields[index].start == record.fields[index].end }

  /// A field's bytes, UTF-8.
  package func withBytes<R>(of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    let field = record.fields[index]
    return record.bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[field.start..<field.end])) }
  }

  /// See `SourceRecord.fingerprint`: of the fields, however they are quoted.
  package var fingerprint: UInt64 {
    var hash = StableHash()
    for index in record.fields.indices { withBytes(of: index) { hash.add(UnsafeRawBufferPointer($0)) } }
    return hash.value
  }
}
