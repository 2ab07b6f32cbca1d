/// By which a journal knows that nothing in its tables was changed, and nothing is missing: for each, the sum of the hashes of
/// its contents. They protect from accidents, not from somebody who makes them fit.
struct JournalDigests: Sendable, Equatable {
  /// The sum over both parts of each chunk.
  var rows: UInt64 = 0
  var baseline: UInt64 = 0
  var lost: UInt64 = 0
  var carried: UInt64 = 0

  /// The hash of a part of the baseline.
  static func hash(ofBatch bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { StableHash.ofRecord($0) } }

  /// The hash of the text of a row that left its source.
  static func hash(ofLost textHash: UInt64) -> UInt64 {
    withUnsafeBytes(of: textHash.littleEndian) { StableHash.ofRecord($0) }
  }

  /// The hash of the beginning of an idempotency key.
  static func hash(ofKey key: String, row: Int) -> UInt64 {
    var hash = RecordHash()
    hash.add(row)
    hash.add(key)
    return UInt64(bitPattern: hash.value)
  }
}

/// Makes a hash of the values of a record. What is missing is another value than any that is there.
struct RecordHash {
  private var hash = StableHash()

  mutating func add(_ text: String?) {
    guard var text else { return hash.add(0) }
    hash.add(1)
    text.withUTF8 { hash.add(UnsafeRawBufferPointer($0)) }
  }

  mutating func add(_ number: Int?) {
    guard let number else { return hash.add(0) }
    hash.add(1)
    withUnsafeBytes(of: number.littleEndian) { hash.add($0) }
  }

  /// As SQLite stores it.
  var value: Int64 { Int64(bitPattern: hash.value) }
}
