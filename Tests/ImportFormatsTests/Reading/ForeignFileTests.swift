import Core
import Encodings
import JSON
import TestSupport
import Testing

@testable import ImportFormats

/// Files in other encodings, archives and workbooks are read as they are.
struct ForeignFileTests {
  /// The rows of a file, or why they cannot be read.
  private func rows(
    _ reader: any RecordReader
  ) throws -> [String] {
    var rows: [String] = []
    while let record = try reader.next() {
      switch record.content {
      case .row(let row): rows.append("\(record.line ?? 0): " + (0..<row.count).map { row[$0] }.joined(separator: "|"))
      case .value(let value): rows.append("\(record.line ?? 0): \(value.string ?? value.encoded())")
      case .malformed(_, let reason, _): rows.append("\(record.line ?? 0)! \(reason)")
      default: rows.append("?")
      }
    }
    return rows
  }

  @Test func aTextInAnotherEncodingIsConverted() throws {
    let latin = TemporaryFile(
      Array("Aufgabe;F".utf8) + [0xE4] + Array("llig\r\nM".utf8) + [0xFC] + Array("ll;morgen\r\n".utf8), name: "a.csv")
    let reader = try RecordReaders.open(path: latin.path)
    #expect(reader.columns == ["Aufgabe", "Fällig"])
    #expect(try rows(reader) == ["2: Müll|morgen"])
    #expect(reader.summary == "CSV separated by ';', Windows-1252")

    let wide = TemporaryFile(
      [0xFF, 0xFE] + "Text\tDue\r\nÖl\t1\r\n".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, name: "a.txt")
    let table = try RecordReaders.open(path: wide.path, format: .tsv)
    #expect(table.columns == ["Text", "Due"])
    #expect(try rows(table) == ["2: Öl|1"])
  }

  @Test func aRowWithBytesThatTheEncodingLacksFailsAlone() throws {
    let text = Array("Text,Due\nMüll,1\nStraße,2\nCaf".utf8) + [0xE9] + Array(",3\nGrün,4\nBrot,5\n".utf8)
    let file = TemporaryFile(text + Array(String(repeating: "Öl,6\n", count: 4).utf8), name: "a.csv")
    let rows = try rows(RecordReaders.open(path: file.path))
    #expect(rows.count == 9)
    #expect(
      rows[2] == "4! byte 0xE9 is not UTF-8: --encoding NAME (encoding = NAME in a script) names another encoding")
    #expect(rows[3] == "5: Grün|4")

    let page = TemporaryFile(
      Array("Text;Due\nM".utf8) + [0xFC] + Array("ll;1\nx".utf8) + [0x81] + Array(";2\nBr".utf8) + [0xF6, 0x0A],
      name: "b.csv")
    let others = try self.rows(RecordReaders.open(path: page.path, separator: ";"))
    #expect(others[0] == "2: Müll|1")
    #expect(others[1] == "3! byte 0x81 does not exist in Windows-1252")
  }

  @Test func anEncodingCanBeNamed() throws {
    let file = TemporaryFile(Array("Text\nM".utf8) + [0x9F] + Array("ll\n".utf8), name: "a.csv")
    var source = try SourceFile(path: file.path)
    source.encoding = .macRoman
    #expect(try rows(RecordReaders.open(source)) == ["2: Müll"])
  }

  @Test func theListInAnArchiveIsRead() throws {
    let folder = TemporaryFolder()
    let path = folder.path("backup.zip")
    PythonProgram.run(
      """
      archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
      archive.writestr("Export/List 0123.csv", "Text,Done\\nMilk,no\\n")
      archive.writestr("Export/List 0123_all.csv", "Text,Done\\nMilk,no\\nBread,yes\\n")
      archive.writestr("Export/Milk.md", "# Milk"); archive.close()
      """, path: path)
    let reader = try RecordReaders.open(path: path)
    #expect(try rows(reader) == ["2: Milk|no", "3: Bread|yes"])
    #expect(reader.summary == "CSV separated by ',', zip, \"Export/List 0123_all.csv\"")
    var source = try SourceFile(path: path)
    source.part = "Export/List 0123.csv"
    #expect(try rows(RecordReaders.open(source)) == ["2: Milk|no"])
  }

  @Test(arguments: [
    (
      "archive.writestr('a.csv', 'Text'); archive.writestr('b.csv', 'Text')", "doubtful_file",
      "FILE has 2 lists: \"a.csv\", \"b.csv\" (name one of them: FILE.zip:a.csv)"
    ),
    (
      "archive.writestr('a.png', 'x')", "not_text",
      "FILE is a zip archive without a list of tasks: it has \"a.png\" (name the entry with the list: FILE.zip:NAME)"
    ),
  ])
  func anArchiveWithoutOneListSaysSo(_ program: String, _ code: String, _ says: String) throws {
    let folder = TemporaryFolder()
    let path = folder.path("backup.zip")
    PythonProgram.run("archive = zipfile.ZipFile(path, 'w')\n\(program)\narchive.close()", path: path)
    let error = try #require(throws: ImportError.self) { try RecordReaders.open(path: path) }
    #expect(error.code == code)
    #expect(error.description == says.replacing("FILE ", with: "\(path) "))
  }

  @Test func aBombIsRefused() throws {
    let folder = TemporaryFolder()
    let path = folder.path("bomb.zip")
    PythonProgram.run(
      """
      archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
      archive.writestr("a.csv", b"Text\\n" + (b"0" * 9999 + b"\\n") * (16 << 10)); archive.close()
      """, path: path)
    let reader = try RecordReaders.open(path: path)
    let error = #expect(throws: ImportError.self) { while try reader.next() != nil {} }
    #expect(error?.message.hasSuffix("the archive grows to more than 400 times its size, as a zip bomb does") == true)
  }

  @Test(arguments: ["bz2", "xz"]) func packedFilesAreRead(_ ending: String) throws {
    let folder = TemporaryFolder()
    let path = folder.path("a.csv.\(ending)")
    PythonProgram.run(
      "import bz2, lzma\nopen(path, 'wb').write((bz2 if path.endswith('bz2') else lzma).compress(b'Text,Due\\nMilk,1\\n'))",
      path: path)
    let reader = try RecordReaders.open(path: path)
    #expect(try rows(reader) == ["2: Milk|1"])
    #expect(reader.summary == "CSV separated by ',', \(ending == "xz" ? "xz" : "bzip2")")
  }

  @Test func aWorkbookIsReadByItsSheet() throws {
    let folder = TemporaryFolder()
    let path = folder.path("plan.xlsx")
    PythonProgram.run(
      """
      import openpyxl
      book = openpyxl.Workbook(); sheet = book.active; sheet.title = "Tasks"
      for row in [["Task Name", "Due", "Notes"], ["Milk", datetime.date(2026, 10, 1), "two\\nlines"], ["Bread"], ["Sum", "=1+1"],
        ["wide", None, None, 7]]: sheet.append(row)
      other = book.create_sheet("Plan"); other.append(["Plan", "x"]); other.append(["ID", "y"]); book.save(path)
      """, path: path)
    let reader = try RecordReaders.open(path: path)
    #expect(reader.columns == ["Task Name", "Due", "Notes"])
    #expect(
      try rows(reader) == [
        "2: Milk|2026-10-01|two\nlines", "3: Bread||",
        "4! the formula in cell B4 has no value: save the workbook in a spreadsheet program",
        "5! this row has 4 fields, expected 3 as in the header",
      ])
    #expect(reader.summary == "the sheet \"Tasks\" (others with rows: \"Plan\")")
    var source = try SourceFile(path: path)
    source.part = "plan"
    #expect(try RecordReaders.open(source).columns == ["Plan", "x"])
  }
}
