/// Opens files of tasks.
package enum RecordReaders {
  /// A reader for the file.
  ///
  /// - Parameters:
  ///   - format: nil finds it out by the name, else by the content where that leaves no doubt.
  ///   - separator: between the fields of a CSV file; nil finds it out, which `tsv` does not do.
  ///   - names: of the formats there are, for the message about a file that could be of any.
  /// Throws when the file begins with what cannot be read, or has no rows at all.
  package static func open(
    _ source: SourceFile, format: SourceFormat? = nil, separator: Character? = nil, names: [String] = SourceFormat.names
  ) throws(ImportError) -> any RecordReader {
    let buffer = try FileBuffer(source)
    let known = format ?? SourceFormat(path: source.path)
    let format = if let known { known } else { try FormatSniffer.format(of: buffer, names: names) }
    let beginning = try buffer.sample(4 << 10, lines: 1)
    if format != .csv, format != .tsv, buffer.isAtEnd, beginning.allSatisfy({ $0 <= 0x20 }) {
      throw ImportError(kind: .emptyFile, message: "\(buffer.name) is empty, expected \(expectation(format))")
    }
    switch format {
    case .csv: return try CSVReader(buffer, separator: separator)
    case .tsv: return try CSVReader(buffer, separator: separator ?? "\t")
    case .json: return JSONArrayReader(buffer)
    case .ndjson: return NDJSONReader(buffer)
    case .text, .todotxt: return TextReader(buffer, format: format)
    case .taskwarrior:
      // `task export` writes an array, or an object a line, as its user has set it.
      let isArray = beginning.first { !JSONRecord.isBlank($0) } == UInt8(ascii: "[")
      return isArray ? JSONArrayReader(buffer, format: format) : NDJSONReader(buffer, format: format)
    }
  }

  private static func expectation(_ format: SourceFormat) -> String {
    switch format {
    case .csv, .tsv: "a first line with the names of the columns"
    case .json, .taskwarrior: "a JSON array"
    case .ndjson: "a JSON value a line"
    case .text, .todotxt: "a task a line"
    }
  }
}
