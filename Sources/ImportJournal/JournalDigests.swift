import Databases
import ImportFormats

/// Sums by which a journal notices that something in its tables was changed or is missing: for each table, the sum of
/// the hashes of its contents. They protect from accidents, not from somebody who makes them fit.
struct JournalDigests: Sendable, Equatable {
  /// The sum over both parts of each chunk.
  var rows: UInt64 = 0
  var baseline: UInt64 = 0
  var lost: UInt64 = 0
  var carried: UInt64 = 0

  static func hash(ofBatch bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { StableHash.ofRecord($0) } }

  static func hash(ofLost textHash: UInt64) -> UInt64 {
    withUnsafeBytes(of: textHash.littleEndian) { StableHash.ofRecord($0) }
  }

  static func hash(ofKey key: String, row: Int) -> UInt64 {
    UInt64(bitPattern: hash([.integer(Int64(row)), .text(key)]))
  }

  /// The hash of the values of a record, which are texts, integers or null.
  static func hash(_ values: [SQLValue]) -> Int64 {
    var hash = StableHash()
    for value in values {
      hash.add(value.isNull ? 0 : 1)
      if var text = value.text { text.withUTF8 { hash.add(UnsafeRawBufferPointer($0)) } }
      if let number = value.integer { withUnsafeBytes(of: number.littleEndian) { hash.add($0) } }
    }
    return Int64(bitPattern: hash.value)
  }
}
