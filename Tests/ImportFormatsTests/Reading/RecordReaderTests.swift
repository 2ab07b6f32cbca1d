import Compression
import ImportFormats
import JSON
import TestSupport
import Testing

/// All that a reader gives, in short: texts as they are, objects as JSON, rows as lists.
func contents(_ reader: any RecordReader) throws -> [String] {
  var contents: [String] = []
  while let record = try reader.next() {
    switch record.content {
    case .row(let row): contents.append((0..<row.count).map { row[$0] }.joined(separator: "|"))
    case .value(.string(let text)): contents.append(text)
    case .value(let value): contents.append(value.encoded())
    case .malformed(let code, let reason, let fields):
      contents.append("\(code): \(reason): \(fields.joined(separator: "|"))")
    case .opaque, .encoded: contents.append("?")
    }
  }
  return contents
}

@Suite struct RecordReaderTests {
  struct Example: CustomTestStringConvertible, Sendable {
    var name: String
    var text: String
    var format: SourceFormat
    var summary: String
    var contents: [String]
    var testDescription: String { name }

    init(_ name: String, _ text: String, _ format: SourceFormat, _ summary: String, _ contents: [String]) {
      self.name = name
      self.text = text
      self.format = format
      self.summary = summary
      self.contents = contents
    }
  }

  static let examples = [
    Example("tasks.csv", "Text,Due\nMilk,1\n\"a,b\",\n", .csv, "CSV separated by ','", ["Milk|1", "a,b|"]),
    Example("tasks.csv", "Text;Due\nMilk, eggs;1\nBread;\n", .csv, "CSV separated by ';'", ["Milk, eggs|1", "Bread|"]),
    Example("tasks.csv", "Text|Due\r\nMilk|1\r\n", .csv, "CSV separated by '|'", ["Milk|1"]),
    Example("tasks.csv", "Text\tDue\nMilk\t1\n", .tsv, "CSV separated by tabs", ["Milk|1"]),
    Example("tasks.csv", "Text\nMilk; eggs\n", .csv, "CSV separated by ','", ["Milk; eggs"]),
    Example("Tasks.TSV", "Text\tDue\nMilk, eggs\t1\n", .tsv, "CSV separated by tabs", ["Milk, eggs|1"]),
    Example(
      "ragged.csv", "Text,Due\nMilk\nBread,1,2\nEggs,3\n", .csv, "CSV separated by ','",
      [
        "ragged_row: this row has 1 field, expected 2 as in the header: Milk",
        "ragged_row: this row has 3 fields, expected 2 as in the header: Bread|1|2", "Eggs|3",
      ]),
    Example(
      "tasks.json", "\u{FEFF} [ {\"text\": \"Milk\"},\n \"Bread\" , {\"text\": \"[{\\\"\"} ]\n", .json, "a JSON array",
      [#"{"text":"Milk"}"#, "Bread", #"{"text":"[{\""}"#]),
    Example("none.json", " []\n", .json, "a JSON array", []),
    Example(
      "tasks.json", #"[1, {"a":1,"a":2}, {"text":"ok"}]"#, .json, "a JSON array",
      [
        "invalid_json: expected an object or a text, got a number: 1",
        #"invalid_json: not valid JSON at line 1, column 14: duplicate object key near '"a"': {"a":1,"a":2}"#,
        #"{"text":"ok"}"#,
      ]),
    Example(
      "tasks.ndjson", "{\"text\":\"Milk\"}\r\n\n\"Bread\"\n{\"text\":\nnull\n{\"text\":\"Eggs\"}", .ndjson,
      "JSON, a value a line",
      [
        #"{"text":"Milk"}"#, "Bread",
        #"invalid_json: not valid JSON at column 8: unexpected token near end of file: {"text":"#,
        "invalid_json: expected an object or a text, got null: null", #"{"text":"Eggs"}"#,
      ]),
    Example("tasks.jsonl", "\u{FEFF}\"Milk\"\n", .ndjson, "JSON, a value a line", ["Milk"]),
    Example(
      "tasks.txt", "\u{FEFF}Milk, eggs\r\n\n  \t\n  Bread \r\"Eggs\"\nΓάλα", .text, "text, a task a line",
      ["Milk, eggs", "  Bread ", "\"Eggs\"", "Γάλα"]),
    Example(
      "again.ndjson",
      #"{"Title":"Milk","_import":{"row":3,"reason":"no"}}"# + "\n"
        + #"{"_import":{"row":4,"reason":"this row has 1 field","code":"ragged_row","fields":["a","b"]}}"# + "\n",
      .ndjson,
      "JSON, a value a line", [#"{"Title":"Milk"}"#, "ragged_row: this row has 1 field: a|b"]),
  ]

  @Test(arguments: examples) func reads(_ example: Example) throws {
    let file = TemporaryFile(example.text, name: example.name)
    let reader = try RecordReaders.open(path: file.path)
    #expect(reader.format == example.format)
    #expect(reader.summary == example.summary)
    #expect(try contents(reader) == example.contents)
    #expect(reader.bytesRead == example.text.utf8.count)
    #expect(reader.totalBytes == example.text.utf8.count)
  }

  @Test(arguments: examples, CompressionFormat.allCases)
  func readsCompressed(_ example: Example, _ compression: CompressionFormat) throws {
    let compressor = try Compressor(compression)
    var packed: [UInt8] = []
    try Array(example.text.utf8).withUnsafeBytes { try compressor.add($0, to: &packed) }
    try compressor.finish(to: &packed)
    for name in [example.name + compression.pathExtension, example.name] {
      let file = TemporaryFile(packed, name: name)
      let reader = try RecordReaders.open(path: file.path)
      #expect(reader.summary == "\(example.summary), \(compression)")
      #expect(try contents(reader) == example.contents)
      #expect(reader.bytesRead == packed.count)
      #expect(reader.totalBytes == packed.count)
    }
  }

  /// Records of all sizes, so that they fall on every edge of the reader's window.
  @Test(arguments: [SourceFormat.csv, .json, .ndjson, .text], ["\n", "\r\n"])
  func whatIsWrittenIsRead(format: SourceFormat, lineBreak: String) throws {
    var random = SplitMix64(state: 11)
    let texts = (0..<4000).map { number in
      "\(number) " + String(repeating: "long ü 牛 ", count: Int.random(in: 0...60, using: &random))
    }
    let text: String
    switch format {
    case .csv: text = "Text" + lineBreak + texts.map { $0 + lineBreak }.joined()
    case .json:
      text = "[" + texts.map { JSON.string($0).encoded() }.joined(separator: "," + lineBreak) + "]"
    case .ndjson: text = texts.map { JSON.string($0).encoded() + lineBreak }.joined()
    default: text = texts.map { $0 + lineBreak }.joined()
    }
    let file = TemporaryFile(text)
    let records = try contents(RecordReaders.open(path: file.path, format: format))
    #expect(records.count == texts.count)
    #expect(zip(records, texts).allSatisfy(==))
  }

  @Test func linesAndNumbers() throws {
    let file = TemporaryFile("[\n{\"text\":\n\"a\"},\n\n\"b\"]", name: "tasks.json")
    let reader = try RecordReaders.open(path: file.path)
    let first = try #require(try reader.next())
    let second = try #require(try reader.next())
    #expect([first.number, second.number] == [1, 2])
    #expect([first.line, second.line] == [2, 5])
  }

  /// A resumed import recognizes rows by fingerprints. A fingerprint depends on the content only, not on the run or the quotes.
  @Test func fingerprints() throws {
    func fingerprints(_ text: String) throws -> [UInt64] {
      let file = TemporaryFile(text)
      let reader = try CSVReader(path: file.path)
      var all: [UInt64] = []
      while let record = try reader.next() { all.append(record.fingerprint) }
      return all
    }
    let plain = try fingerprints("Text,Due\nMilk,1\nMil,k1\nMilk1,\nMilk,2\n")
    #expect(Set(plain).count == 4)
    #expect(try fingerprints("Text,Due\r\n\"Milk\",\"1\"\r\n") == [plain[0]])
    #expect(plain[0] == 14_685_009_165_667_480_990)
    let old = try StableHash.$isOfOldJournal.withValue(true) { try fingerprints("Text,Due\nMilk,1\n") }
    #expect(old == [12_182_002_239_917_373_808])
  }
}
