/// Opens files of tasks.
package enum RecordReaders {
  /// A reader for the file. Throws if the file has an unknown beginning, or no rows at all.
  /// - Parameters:
  ///   - format: nil for the format by the name, or else by the content if that is unambiguous.
  ///   - separator: between the fields of a CSV file; nil to find it, or a tab for `tsv`.
  ///   - names: of all formats, for the message about an ambiguous file.
  package static func open(
    _ source: SourceFile, format: SourceFormat? = nil, separator: Character? = nil, names: [String] = SourceFormat.names
  ) throws(ImportError) -> any RecordReader {
    let buffer = try FileBuffer(source)
    return try reader(of: buffer, source, try self.format(format, source, buffer, names), separator)
  }

  /// Opens a file to import it: its reader, with the first records, and the doubt about its kind. The parameters are those
  /// of `open`.
  /// - Parameter isDecided: true if the caller has said what the file is.
  package static func read(
    _ source: SourceFile, format: SourceFormat? = nil, isDecided: Bool = false, separator: Character? = nil,
    names: [String] = SourceFormat.names
  ) throws(ImportError) -> FileReading {
    let buffer = try FileBuffer(source)
    let found = try self.format(format, source, buffer, names)
    var kind: ReadingDoubt?
    if !isDecided {
      let sample = try buffer.sample(4 << 10, lines: 1)
      kind = buffer.encodingDoubt ?? KindRecognition.doubt(sample, found, buffer)
    }
    do {
      let reader = try PreviewedReader(try reader(of: buffer, source, found, separator))
      return FileReading(reader: reader, kindDoubt: kind)
    } catch {
      // A page of HTML has no separator, and the error about that would tell nothing.
      throw kind.map { ImportError.doubtful(buffer.name, [$0]) } ?? error
    }
  }

  private static func format(
    _ given: SourceFormat?, _ source: SourceFile, _ buffer: FileBuffer, _ names: [String]
  ) throws(ImportError) -> SourceFormat {
    if let known = given ?? SourceFormat(path: buffer.containedName ?? source.path) { return known }
    return try FormatSniffer.format(of: buffer, names: names)
  }

  private static func reader(
    of buffer: FileBuffer, _ source: SourceFile, _ format: SourceFormat, _ separator: Character?
  ) throws(ImportError) -> any RecordReader {
    let beginning = try buffer.sample(4 << 10, lines: 1)
    if format != .csv, format != .tsv, buffer.isAtEnd, beginning.allSatisfy({ $0 <= 0x20 }) {
      throw ImportError(kind: .emptyFile, message: "\(buffer.name) is empty, expected \(expectation(format))")
    }
    switch format {
    case .csv: return try CSVReader(buffer, source, separator: separator)
    case .tsv: return try CSVReader(buffer, source, separator: separator ?? "\t")
    case .json: return JSONArrayReader(buffer)
    case .ndjson, .text, .todotxt: return LineRecordReader(buffer, format: format)
    case .taskwarrior:
      // The user of `task export` chooses between an array and an object a line.
      let isArray = beginning.first { !JSONRecord.isBlank($0) } == UInt8(ascii: "[")
      return isArray ? JSONArrayReader(buffer, format: format) : LineRecordReader(buffer, format: format)
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
