import ImportFormats
import TestSupport
import Testing

@Suite struct CSVReaderTests {
  struct Example: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String
    var rows: [[String]]
    var lines: [Int]?
    var separator: Character = ","

    init(_ name: String, _ text: String, _ rows: [[String]], lines: [Int]? = nil, separator: Character = ",") {
      testDescription = name
      self.text = text
      self.rows = rows
      self.lines = lines
      self.separator = separator
    }
  }

  @Test(arguments: [
    Example("plain", "a,b\n1,2\n3,4\n", [["1", "2"], ["3", "4"]], lines: [2, 3]),
    Example("no line break at the end", "a,b\n1,2", [["1", "2"]]),
    Example("CRLF", "a,b\r\n1,2\r\n3,4\r\n", [["1", "2"], ["3", "4"]], lines: [2, 3]),
    Example("CR", "a,b\r1,2\r3,4\r", [["1", "2"], ["3", "4"]], lines: [2, 3]),
    Example("CR at the very end", "a,b\r1,2\r", [["1", "2"]]),
    Example("line breaks of all kinds", "a\n1\r2\r\n3", [["1"], ["2"], ["3"]], lines: [2, 3, 4]),
    Example("byte order mark", "\u{FEFF}a,b\n1,2\n", [["1", "2"]]),
    Example("quoted header behind a byte order mark", "\u{FEFF}\"a\",b\n1,2\n", [["1", "2"]]),
    Example("quoted separator", "a,b\n\"1,5\",2\n", [["1,5", "2"]]),
    Example("doubled quotes", "a,b\n\"say \"\"hi\"\"\",2\n", [["say \"hi\"", "2"]]),
    Example("nothing but doubled quotes", "a\n\"\"\"\"\"\"\n", [["\"\""]]),
    Example(
      "line breaks in a field", "a,b\n\"x\ny\r\nz\rw\",2\n3,4\n", [["x\ny\r\nz\rw", "2"], ["3", "4"]], lines: [2, 6]),
    Example("quote inside an unquoted field", "a,b\n5\" nail,2\n", [["5\" nail", "2"]]),
    Example("empty fields", "a,b,c\n,,\n\"\",x,\n", [["", "", ""], ["", "x", ""]]),
    Example("empty lines", "\n\na\n\n1\n\r\n2\n\n", [["1"], ["2"]], lines: [5, 7]),
    Example("blanks are kept", "a,b\n 1 , 2\n", [[" 1 ", " 2"]]),
    Example("semicolon", "a;b\n1,5;\"2;3\"\n", [["1,5", "2;3"]], separator: ";"),
    Example("tab", "a\tb\n1\t2\n", [["1", "2"]], separator: "\t"),
    Example("many scripts", "a\nΓάλα\n牛奶\nحليب\nदूध\n🥛\n", [["Γάλα"], ["牛奶"], ["حليب"], ["दूध"], ["🥛"]]),
    Example("header alone", "a,b\n", []),
    Example("NUL bytes", "a\n\0x\0\n", [["\0x\0"]]),
  ])
  func reads(_ example: Example) throws {
    let file = TemporaryFile(example.text)
    let reader = try CSVReader(path: file.path, separator: example.separator)
    var rows: [[String]] = []
    var lines: [Int] = []
    while let row = try reader.nextRow() {
      rows.append((0..<row.count).map { row[$0] })
      lines.append(row.line)
    }
    #expect(rows == example.rows)
    if let expected = example.lines { #expect(lines == expected) }
    #expect(reader.bytesRead == example.text.utf8.count)
    #expect(reader.totalBytes == example.text.utf8.count)
  }

  @Test func fieldsHaveTheirColumnsNames() throws {
    let file = TemporaryFile("Text , Due\nBuy milk,2026-11-30\n")
    let reader = try CSVReader(path: file.path)
    let row = try #require(try reader.nextRow())
    #expect(reader.header.names == ["Text", "Due"])
    #expect(row["Text"] == "Buy milk")
    #expect(row["Due"] == "2026-11-30")
    #expect(row["Priority"] == nil)
  }

  /// A row that the caller keeps is not the one the reader fills next.
  @Test func rowsAreValues() throws {
    let file = TemporaryFile("a\nfirst\nsecond\n")
    let reader = try CSVReader(path: file.path)
    let first = try #require(try reader.nextRow())
    let second = try #require(try reader.nextRow())
    #expect(first[0] == "first")
    #expect(second[0] == "second")
  }

  /// Fields of all sizes, so that rows, quotes and line breaks fall on every edge of the reader's window.
  @Test(arguments: ["\n", "\r\n", "\r"]) func whatIsWrittenIsRead(lineBreak: String) throws {
    var random = SplitMix64(state: 7)
    let pieces = ["x", "milk", ",", "\"", "\n", "\r\n", "\r", "ü", "牛", "😀", String(repeating: "long ", count: 300)]
    let rows = (0..<1500).map { _ in
      (0..<3).map { column in
        let parts = (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        // The first field is never empty: a row of nothing could be an empty line.
        return (column == 0 ? "-" : "") + parts.joined()
      }
    }
    let text = ([["a", "b", "c"]] + rows).map { row in
      row.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ",") + lineBreak
    }.joined()
    let file = TemporaryFile(text)
    let reader = try CSVReader(path: file.path)
    var count = 0
    while let row = try reader.nextRow() {
      try #require(count < rows.count)
      for column in 0..<3 where row[column] != rows[count][column] {
        Issue.record("row \(count + 1), field \(column + 1) differs")
        return
      }
      count += 1
    }
    #expect(count == rows.count)
  }
}

/// Random numbers that are the same in each run.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
