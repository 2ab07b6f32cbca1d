/// One row of a CSV file: its fields, quotes taken off.
package struct CSVRow: Sendable {
  /// The line in the file on which the row begins, counting from 1.
  package let line: Int
  package let count: Int
  private let batch: CSVBatch
  /// The place of its first field among the batch's.
  private let first: Int

  @inline(__always)
  init(_ batch: CSVBatch, _ extent: CSVExtent) {
    self.batch = batch
    first = extent.first
    count = extent.count
    line = extent.line
  }

  /// The names of the columns.
  package var header: CSVHeader { batch.header }

  /// A field by its position, counting from 0.
  package subscript(_ index: Int) -> String { withBytes(of: index) { String(decoding: $0, as: UTF8.self) } }

  /// A field by its column's name; nil when there is no such column.
  package subscript(_ name: String) -> String? { header.index(of: name).map { self[$0] } }

  /// True if nothing stands in a field.
  func isEmpty(_ index: Int) -> Bool { field(index).isEmpty }

  /// A field's bytes, UTF-8.
  package func withBytes<R>(of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    withExtendedLifetime(batch) { body(batch.bytes(of: field(index)).assumingMemoryBound(to: UInt8.self)) }
  }

  /// See `SourceRecord.fingerprint`: of the fields, however they are quoted.
  package var fingerprint: UInt64 { batch.fingerprint(first, count) }

  @inline(__always)
  private func field(_ index: Int) -> CSVField {
    precondition(index >= 0 && index < count, "no such field")
    return batch.field(first + index)
  }
}
