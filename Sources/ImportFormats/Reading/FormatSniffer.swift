import TableReading
import TaskAPI

/// Finds the format of a file whose name does not tell it, if its beginning is unambiguous.
enum FormatSniffer {
  /// Throws an error that lists the formats in case of doubt: a text read as a table would lose its first line.
  static func format(of buffer: FileBuffer, names: [String]) throws(ImportError) -> SourceFormat {
    let sample = try buffer.sample(32 << 10)
    if let format = json(sample) ?? table(sample, isWhole: buffer.isAtEnd) { return format }
    guard !sample.isEmpty else { throw ImportError(kind: .emptyFile, message: "\(buffer.name) is empty") }
    throw ImportError(
      kind: .unknownFormat, message: "cannot tell the format of \(buffer.name) by its name or its beginning",
      hint: "say which with --format, or format = in a script: \(names.joined(separator: ", "))")
  }

  /// Hardly any other text begins like an array or an object.
  static func json(_ sample: UnsafeRawBufferPointer) -> SourceFormat? {
    var bytes = sample.lazy.filter { !JSONRecord.isBlank($0) }.makeIterator()
    switch (bytes.next(), bytes.next()) {
    case (UInt8(ascii: "{"), UInt8(ascii: "\"")): return .ndjson
    case (UInt8(ascii: "["), UInt8(ascii: "{")), (UInt8(ascii: "["), UInt8(ascii: "\"")),
      (UInt8(ascii: "["), UInt8(ascii: "]")):
      return .json
    default: return nil
    }
  }

  /// Finds a first row with usual names, one of them for the text, above rows of as many cells.
  /// - Parameter isCertain: true to take several columns and several rows for a table only.
  static func table(_ sample: UnsafeRawBufferPointer, isWhole: Bool, isCertain: Bool = false) -> SourceFormat? {
    guard let shape = TableShape(sample, isWhole: isWhole, isName: ColumnNames.isUsual), shape.header == .line(1),
      shape.names.contains(where: { ColumnNames.isText($0) || ForeignNames.field(of: $0) == .text }),
      shape.rows.prefix(20).allSatisfy({ $0.cells.count == shape.names.count }),
      shape.names.count > 1 ? !isCertain || !shape.rows.isEmpty : !isCertain && shape.names[0].lowercased() == "text"
    else { return nil }
    return shape.separator == "\t" ? .tsv : .csv
  }
}
