/// One row of a CSV file: its fields without their quotes.
package struct CSVRow: Sendable {
  /// Its first line in the file, counting from 1.
  package let line: Int
  package let count: Int
  private let batch: CSVBatch
  private let first: Int

  @inline(__always)
  init(_ batch: CSVBatch, _ extent: CSVExtent) {
    self.batch = batch
    first = extent.first
    count = extent.count
    line = extent.line
  }

  package var header: CSVHeader { batch.header }

  /// A field by its position, counting from 0.
  package subscript(_ index: Int) -> String { withBytes(of: index) { String(decoding: $0, as: UTF8.self) } }

  /// A field by its column's name; nil if there is no such column.
  package subscript(_ name: String) -> String? { header.index(of: name).map { self[$0] } }

  /// The lines of the file on which it stands. A row of a sheet is one line.
  var lines: ClosedRange<Int> { line...max(line, batch.endLine(first, count, from: line)) }

  /// The fault of a row that has the right number of fields; nil for almost every row.
  @inline(__always)
  var fault: StrayQuotes.Fault? { batch.fault(first) }

  /// False for almost every row: its lines can be used as they are.
  @inline(__always)
  var mayHaveFaults: Bool { batch.mayHaveFaults }

  var fields: [String] { (0..<count).map { self[$0] } }

  func isEmpty(_ index: Int) -> Bool { field(index).isEmpty }

  /// A field's bytes in UTF-8.
  package func withBytes<R>(of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    withExtendedLifetime(batch) { body(batch.bytes(of: field(index)).assumingMemoryBound(to: UInt8.self)) }
  }

  /// The hash of the fields, however they are quoted; see `SourceRecord.fingerprint`.
  package var fingerprint: UInt64 { batch.fingerprint(first, count) }

  @inline(__always)
  private func field(_ index: Int) -> CSVField {
    precondition(index >= 0 && index < count, "no such field")
    return batch.field(first + index)
  }
}
