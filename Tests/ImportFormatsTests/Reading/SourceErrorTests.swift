import Compression
import Core
import ImportFormats
import TestSupport
import Testing

/// Tests of the messages for files of any format that cannot be read to the end. `FILE` stands for the path of the file.
@Suite struct SourceErrorTests {
  struct Example: CustomTestStringConvertible, Sendable {
    var name: String
    var bytes: [UInt8]
    var code: String
    var says: String
    var line: Int?
    /// The number of records before the error.
    var records: Int
    var testDescription: String { "\(name): \(code)" }

    init(_ name: String, _ text: String, _ code: String, _ says: String, line: Int? = nil, records: Int = 0) {
      self.init(name, Array(text.utf8), code, says, line: line, records: records)
    }

    init(_ name: String, _ bytes: [UInt8], _ code: String, _ says: String, line: Int? = nil, records: Int = 0) {
      self.name = name
      self.bytes = bytes
      self.code = code
      self.says = says
      self.line = line
      self.records = records
    }
  }

  private static func packed(_ text: String, _ format: CompressionFormat, cut: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      let compressor = try Compressor(format)
      try Array(text.utf8).withUnsafeBytes { try compressor.add($0, to: &bytes) }
      try compressor.finish(to: &bytes)
    } catch {
      Issue.record(error)
    }
    return bytes.dropLast(cut)
  }

  /// Rows that differ, so that they do not compress to nothing.
  private static let manyRows = "Text\n" + (1...40_000).map { "Task \($0 &* 2_654_435_761 % 1_000_003)\n" }.joined()

  static let examples = [
    Example("tasks.txt", "", "empty_file", "FILE is empty, expected a task a line"),
    Example("todo.txt", "\n  \n", "empty_file", "FILE is empty, expected a task a line"),
    Example("tasks.json", " \n", "empty_file", "FILE is empty, expected a JSON array"),
    Example("tasks.ndjson", "\u{FEFF}", "empty_file", "FILE is empty, expected a JSON value a line"),
    Example("tasks.csv.gz", [], "empty_file", "FILE is empty, expected a first line with the names of the columns"),
    Example("tasks.dat", "", "empty_file", "FILE is empty"),
    Example(
      "tasks.json", "{\"tasks\":[]}", "invalid_json",
      "FILE:1, column 1: expected an array, which begins with '[', found '{' (objects one a line are the format ndjson)",
      line: 1),
    Example(
      "tasks.json", "[\n{\"text\":\"a\"},\n{\"text\":\"b\"},\n{\"te", "invalid_json",
      "FILE:4, column 5: the text is cut off inside element 3", line: 4, records: 2),
    Example(
      "tasks.json", "[{\"text\":\"a\"}\n", "invalid_json",
      "FILE:2, column 1: the text is cut off before the array's ']'", line: 2, records: 1),
    Example(
      "tasks.json", "[{\"text\":\"a\"}]\n{}", "invalid_json",
      "FILE:2, column 1: expected nothing after the array's ']', found '{'", line: 2, records: 1),
    Example(
      "tasks.json", Array("[\"a\",\n\"".utf8) + [0xF0, 0x9F, 0x22, 0x5D], "invalid_utf8",
      "FILE:2: byte 0xF0 is not UTF-8: --encoding NAME (encoding = NAME in a script) names another encoding", line: 2),
    Example(
      "tasks.csv.gz", packed("Text\nMilk\nBread\n", .gzip, cut: 9), "truncated_file",
      "FILE:4: the gzip data ends in the middle (the file was not copied or downloaded to its end: get it again)",
      line: 4, records: 2),
    Example(
      "tasks.txt.zst", packed("Milk\nBread\n", .zstd, cut: 2), "truncated_file",
      "FILE:3: the zstd data ends in the middle (the file was not copied or downloaded to its end: get it again)",
      line: 3, records: 2),
    Example(
      "tasks.csv.gz", "Text\nMilk\n", "damaged_file",
      "FILE: this is not gzip data (when it is not compressed, take .gz off its name)"),
    Example(
      "tasks.csv.zst", packed("Text\nMilk\n", .zstd) + [1], "damaged_file",
      "FILE:3: the zstd data is damaged: something else follows it (get it again, or compress it again)", line: 3,
      records: 1),
  ]

  // A little more than 16 MiB: a test that computes for long keeps those that wait for a database from their time limits.
  fileprivate static let long = String(repeating: String(repeating: "long ", count: 200), count: 16_800)
  fileprivate static let manyLines = String(repeating: String(repeating: "l", count: 999) + "\n", count: 16_800)

  /// A row of more than the most, the line of it, and that of the next row.
  enum Overlong: String, CaseIterable {
    case quotedLines, fields, ndjson, json

    var file: (name: String, text: String) {
      switch self {
      case .quotedLines: ("a.csv", "Text\nMilk\n\"\(SourceErrorTests.manyLines)\"\r\nBread\n")
      case .fields: ("a.csv", "Text\nMilk\n\(String(repeating: ",", count: 20_000))\nBread\n")
      case .ndjson: ("a.ndjson", "\"Milk\"\n\"\(SourceErrorTests.long)\"\n\"Bread\"")
      case .json: ("a.json", "[\"Milk\",\n{\"Text\": [\"\(SourceErrorTests.long)\"]},\n\"Bread\"]")
      }
    }

    var line: Int { self == .ndjson || self == .json ? 2 : 3 }
    var next: Int { self == .quotedLines ? line + 16_801 : line + 1 }

    var reason: String {
      switch self {
      case .quotedLines, .json: "this row is longer than 16 MiB"
      case .fields: "this row has more than 16384 fields"
      case .ndjson: "this line is longer than 16 MiB"
      }
    }
  }

  @Test("a row that is too long fails alone, by its line", arguments: Overlong.allCases)
  func overlong(row: Overlong) throws {
    let (name, text) = row.file
    let (line, next, reason) = (row.line, row.next, row.reason)
    let file = TemporaryFile(text, name: name)
    let reader = try RecordReaders.open(path: file.path)
    #expect(try reader.next()?.number == 1)
    let record = try #require(try reader.next())
    #expect((record.number, record.line) == (2, line))
    guard case .malformed("row_too_long", reason, let fields) = record.content else {
      Issue.record("\(record.number)")
      return
    }
    #expect(fields[0].utf8.count < 300)
    let last = try #require(try reader.next())
    #expect((last.number, last.line) == (3, next))
    #expect(try reader.next() == nil)
    // The same in each run, though the pieces of a pipe are others.
    guard reason.hasSuffix("fields") else { return }
    let again = try RecordReaders.open(path: file.path)
    _ = try again.next()
    #expect(try again.next()?.fingerprint == record.fingerprint)
  }

  @Test(arguments: examples) func fileSays(_ example: Example) throws {
    let file = TemporaryFile(example.bytes, name: example.name)
    var records = 0
    let error = try #require(throws: ImportError.self) {
      let reader = try RecordReaders.open(path: file.path)
      while try reader.next() != nil { records += 1 }
    }
    #expect(error.code == example.code)
    #expect(error.description == example.says.replacing("FILE", with: file.path))
    #expect(error.line == example.line)
    #expect(records == example.records)
  }

  @Test func truncatedInTheMiddle() throws {
    let bytes = Self.packed(Self.manyRows, .gzip)
    let file = TemporaryFile(Array(bytes.prefix(bytes.count / 2)), name: "tasks.csv.gz")
    let reader = try RecordReaders.open(path: file.path)
    var last: SourceRecord?
    let error = #expect(throws: ImportError.self) {
      while let record = try reader.next() { last = record }
    }
    let line = try #require(last?.line)
    #expect(line > 5000)
    // The error names the line after the last whole row.
    #expect(error?.line == line + 1)
  }

  @Test(arguments: ["nowhere/tasks.csv", "nowhere/tasks.json"]) func noSuchFile(path: String) {
    let error = #expect(throws: ImportError.self) { try RecordReaders.open(path: path) }
    #expect(error?.code == "file_not_found")
    #expect(error?.description == "\(path) does not exist")
  }

  @Test func directory() {
    let error = #expect(throws: ImportError.self) { try RecordReaders.open(path: "/usr") }
    #expect(error?.code == "is_directory")
    #expect(error?.description == "/usr is a directory, expected a file")
  }
}
