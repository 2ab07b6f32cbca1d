/// Finds the separator of a CSV file among comma, semicolon, tab and bar: the one with which the largest share of the
/// first rows have as many fields as the first row, and that at least two. Without one, it is a comma.
enum SeparatorSniffer {
  static let candidates: [UInt8] = [",", ";", "\t", "|"].map { UInt8(ascii: $0) }
  private static let sampleSize = 32 << 10
  private static let mostRows = 20

  static func separator(of buffer: FileBuffer) throws(ImportError) -> Character {
    let sample = try buffer.sample(sampleSize)
    let ranked = candidates.map { (separator: $0, table: table(sample, $0, isWhole: buffer.isAtEnd)) }
    // The first candidate wins a tie: a comma is more usual than the others.
    var best = ranked[0]
    for candidate in ranked.dropFirst()
    where (candidate.table.agreement, candidate.table.columns) > (best.table.agreement, best.table.columns) {
      best = candidate
    }
    return Character(Unicode.Scalar(best.separator))
  }

  struct Table {
    /// The fields of the first row.
    var columns = 0
    var rows = 0
    /// The percentage of rows with as many fields as the first one; 0 if it has one.
    var agreement = 0
  }

  /// The shape of the first rows of `sample`. If `isWhole` is false, its last row may be incomplete.
  static func table(_ sample: UnsafeRawBufferPointer, _ separator: UInt8, isWhole: Bool) -> Table {
    var counts: [Int] = []
    var fields = 1
    var isQuoted = false
    var atFieldStart = true
    var isEmptyRow = true
    for byte in sample {
      guard counts.count < mostRows else { break }
      if byte == UInt8(ascii: "\""), isQuoted || atFieldStart {
        // A doubled quote closes and opens again.
        isQuoted.toggle()
        isEmptyRow = false
        continue
      }
      atFieldStart = false
      if isQuoted { continue }
      switch byte {
      case separator:
        fields += 1
        atFieldStart = true
        isEmptyRow = false
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if !isEmptyRow { counts.append(fields) }
        fields = 1
        atFieldStart = true
        isEmptyRow = true
      default: isEmptyRow = false
      }
    }
    if !isEmptyRow, isWhole || counts.isEmpty, counts.count < mostRows { counts.append(fields) }
    guard let columns = counts.first else { return Table() }
    let agreeing = counts.count { $0 == columns }
    return Table(columns: columns, rows: counts.count, agreement: columns > 1 ? 100 * agreeing / counts.count : 0)
  }
}
