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

  /// Finds a first row with several columns, one of them with a usual name for the text, and rows like it.
  /// - Parameter isCertain: true to take several columns and several rows for a table only.
  static func table(_ sample: UnsafeRawBufferPointer, isWhole: Bool, isCertain: Bool = false) -> SourceFormat? {
    let end = sample.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? sample.count
    let header = String(decoding: sample[..<end], as: UTF8.self)
    for separator in SeparatorSniffer.candidates {
      let names = header.utf8.split(separator: separator, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self).filter { $0 != "\"" }
      }
      let table = SeparatorSniffer.table(sample, separator, isWhole: isWhole)
      guard names.contains(where: ColumnNames.isText), table.agreement == 100 || names.count == 1,
        !isCertain || names.count > 1 && table.rows > 1
      else { continue }
      if names.count > 1 || names[0].lowercased() == "text" { return separator == UInt8(ascii: "\t") ? .tsv : .csv }
    }
    return nil
  }
}
