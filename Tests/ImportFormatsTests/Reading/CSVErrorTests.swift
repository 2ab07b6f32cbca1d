import Core
import ImportFormats
import TestSupport
import Testing

/// Tests of the messages for malformed CSV files. `FILE` stands for the path of the file.
@Suite struct CSVErrorTests {
  struct Example: CustomTestStringConvertible, Sendable {
    var bytes: [UInt8]
    var code: String
    var says: String
    var line: Int?
    var testDescription: String { code }

    init(_ text: String, _ code: String, _ says: String, line: Int? = nil) {
      self.init(Array(text.utf8), code, says, line: line)
    }

    init(_ bytes: [UInt8], _ code: String, _ says: String, line: Int? = nil) {
      self.bytes = bytes
      self.code = code
      self.says = says
      self.line = line
    }
  }

  @Test(arguments: [
    Example("", "empty_file", "FILE is empty, expected a first line with the names of the columns"),
    Example("\n\n", "empty_file", "FILE is empty, expected a first line with the names of the columns"),
    Example("\u{FEFF}", "empty_file", "FILE is empty, expected a first line with the names of the columns"),
    Example(
      "Text,Due\nBuy milk,\n\"Two\nlines\",x\n\"never closed,\nmore\nand more\n", "unclosed_quote",
      "FILE:5: the quote that opens a field here is never closed (a quote inside a quoted field is written twice)",
      line: 5),
    Example(
      "Text,Due\nA,\"x\ny\" z\n", "misplaced_quote",
      "FILE:3: field 2 continues after its closing quote (a quote inside a quoted field is written twice)", line: 3),
    Example(
      "Text,Due,Project\nBuy milk\n", "ragged_row", "FILE:2: this row has 1 field, expected 3 as in the header", line: 2
    ),
    Example(
      "Text,Due\nA,B\nBuy milk, eggs, bread\n", "ragged_row",
      "FILE:3: this row has 3 fields, expected 2 as in the header "
        + "(a field with the separator in it needs quotes around it)", line: 3),
    Example(
      Array("\u{FEFF}Text\n\"a\nb".utf8) + [0xFF, 0x22], "unreadable_row",
      "FILE:2: byte 0xFF is not UTF-8: --encoding NAME (encoding = NAME in a script) names another encoding", line: 2),
  ])
  func fileSays(_ example: Example) throws {
    let file = TemporaryFile(example.bytes)
    let error = try #require(throws: ImportError.self) {
      let reader = try CSVReader(path: file.path)
      while try reader.nextRow() != nil {}
    }
    #expect(error.code == example.code)
    #expect(error.description == example.says.replacing("FILE", with: file.path))
    #expect(error.line == example.line)
  }

  @Test func noSuchFile() {
    let error = #expect(throws: ImportError.self) { try CSVReader(path: "nowhere/tasks.csv") }
    #expect(error?.code == "file_not_found")
    #expect(error?.description == "nowhere/tasks.csv does not exist")
  }

  @Test func directory() {
    let error = #expect(throws: ImportError.self) { try CSVReader(path: "/usr") }
    #expect(error?.code == "is_directory")
    #expect(error?.description == "/usr is a directory, expected a file")
  }

  @Test(arguments: ["\"", "\n", "ü"] as [Character]) func separator(_ separator: Character) {
    let error = #expect(throws: ImportError.self) { try CSVReader(path: "tasks.csv", separator: separator) }
    #expect(error?.code == "invalid_separator")
  }
}
