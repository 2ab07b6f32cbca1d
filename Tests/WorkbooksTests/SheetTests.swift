import Core
import Files
import Glibc
import TestSupport
import Testing

@testable import Workbooks

/// The sheets of workbooks, as other programs write them, become CSV.
struct SheetTests {
  /// Writes a workbook by a Python program with openpyxl; `book` and `sheet` are there, and `path`.
  private func workbook(_ program: String, _ name: String = "list.xlsx") throws -> (Workbook, TemporaryFolder) {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/\(name)"
    let setup = "import openpyxl\nbook = openpyxl.Workbook(); sheet = book.active\n"
    PythonProgram.run(setup + program, path: path)
    let file = try OpenFile(path, Opening(O_RDONLY))
    return (try Workbook(file, 0..<Int(try file.status().st_size)), folder)
  }

  /// The text of a sheet, and its faults as "row: reason".
  private func text(_ book: Workbook, _ sheet: Int = 0) throws -> (String, [String]) {
    let text = try book.text(of: book.sheets[sheet])
    var piece = [UInt8](repeating: 0, count: 100)
    var bytes: [UInt8] = []
    while true {
      let count = try piece.withUnsafeMutableBytes { try text.read(into: $0) }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return (String(decoding: bytes, as: UTF8.self), text.takeFaults().map { "\($0.row): \($0.reason)" })
  }

  @Test func cellsBecomeTheTextThatAPersonSees() throws {
    let (book, folder) = try workbook(
      """
      sheet.append(["Text", "Due", "At", "Share", "Done", "Number"])
      sheet.append(["Milk, \\"fresh\\"", datetime.date(2026, 10, 1), datetime.datetime(2026, 10, 1, 15, 30), 0.5, True, 1234567890])
      sheet.append(["two\\nlines", None, None, 0.1 + 0.2, False, -3])
      sheet.append([None, None, None])
      sheet.append(["Größe 漢 😀", datetime.date(1999, 12, 31), datetime.time(8, 5), 1e20, None, 1200000000000000])
      book.save(path)
      """)
    defer { withExtendedLifetime(folder) {} }
    let (text, faults) = try text(book)
    #expect(
      text == """
        Text,Due,At,Share,Done,Number
        "Milk, ""fresh""\",2026-10-01,2026-10-01T15:30:00,0.5,TRUE,1234567890
        "two
        lines",,,0.3,FALSE,-3

        Größe 漢 😀,1999-12-31,08:05:00,1E+20,,1.2E+15

        """)
    #expect(faults == [])
  }

  @Test func aWorkbookOfAnOldMacCountsFrom1904() throws {
    let (book, folder) = try workbook(
      """
      book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
      sheet.append(["Text", datetime.date(2026, 10, 1)]); sheet.append(["a", datetime.date(1904, 1, 2)])
      book.save(path)
      """)
    defer { withExtendedLifetime(folder) {} }
    #expect(try text(book).0 == "Text,2026-10-01\na,1904-01-02\n")
  }

  @Test func rowsThatCannotBeReadAreToldByTheirNumber() throws {
    let (book, folder) = try workbook(
      """
      sheet.append(["Text", "Due"])
      sheet.append(["formula", "=1+1"])
      sheet.append(["day", 60]); sheet["B3"].number_format = "dd.mm.yyyy"
      sheet.append(["early", -4]); sheet["B4"].number_format = "dd.mm.yyyy"
      sheet.append(["good", 61]); sheet["B5"].number_format = "[$-407]d. mmmm yyyy;@"
      sheet.append(["first", 1]); sheet["B6"].number_format = "yyyy-mm-dd"
      sheet.append(["=1+1"])
      book.save(path)
      """)
    defer { withExtendedLifetime(folder) {} }
    let (text, faults) = try text(book)
    #expect(text == "Text,Due\nformula\nday\nearly\ngood,1900-03-01\nfirst,1900-01-01\n\"\"\n")
    #expect(
      faults == [
        "2: the formula in cell B2 has no value: save the workbook in a spreadsheet program",
        "3: the date in cell B3 is before 1900, or no day: 60", "4: the date in cell B4 is before 1900, or no day: -4",
        "7: the formula in cell A7 has no value: save the workbook in a spreadsheet program",
      ])
  }

  @Test func aSheetIsFoundByNameOrNumber() throws {
    let (book, folder) = try workbook(
      """
      sheet.title = "Info"; sheet.append(["exported"])
      tasks = book.create_sheet("Tasks"); tasks.append(["Text", "Due"]); tasks.append(["a", "b"])
      hidden = book.create_sheet("Lists"); hidden.append(["x", "y"]); hidden.sheet_state = "hidden"
      book.save(path)
      """)
    defer { withExtendedLifetime(folder) {} }
    #expect(try book.sheet(named: "tasks").name == "Tasks")
    #expect(try book.sheet(named: "2").name == "Tasks")
    #expect(try book.tables().map(\.name) == ["Tasks"])
    let error = try #require(throws: WorkbookError.self) { try book.sheet(named: "Taks") }
    #expect(error.message == "it has no sheet \"Taks\": its sheets are \"Info\", \"Tasks\", \"Lists\"")
    #expect(error.hint == "did you mean \"Tasks\"?")
  }

  @Test func theNumberOfALineIsThatOfTheRow() throws {
    let (book, folder) = try workbook(
      """
      sheet["B3"] = "Text"; sheet["B7"] = "a"; book.save(path)
      """)
    defer { withExtendedLifetime(folder) {} }
    #expect(try text(book).0 == "\n\n,Text\n\n\n\n,a\n")
  }

  @Test func aSheetOfOpenDocumentIsReadToo() throws {
    let (book, folder) = try workbook(
      #"""
      content = """<?xml version="1.0"?><office:document-content
        xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
        xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
        <office:body><office:spreadsheet><table:table table:name="Tasks">
        <table:table-row><table:table-cell office:value-type="string"><text:p>Text</text:p></table:table-cell>
          <table:table-cell office:value-type="string"><text:p>Due</text:p></table:table-cell>
          <table:table-cell table:number-columns-repeated="1022"/></table:table-row>
        <table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>
        <table:table-row><table:table-cell office:value-type="string"><office:annotation><text:p>note</text:p></office:annotation>
          <text:p>two<text:s text:c="2"/>words</text:p><text:p>more</text:p></table:table-cell>
          <table:table-cell office:value-type="date" office:date-value="2026-10-01"><text:p>1.10.26</text:p></table:table-cell></table:table-row>
        <table:table-row table:number-rows-repeated="1048572"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>
        </table:table></office:spreadsheet></office:body></office:document-content>"""
      archive = zipfile.ZipFile(path, "w")
      archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
      archive.writestr("content.xml", content); archive.close()
      """#, "list.ods")
    defer { withExtendedLifetime(folder) {} }
    #expect(book.sheets.map(\.name) == ["Tasks"])
    #expect(try text(book).0 == "Text,Due\n\n\n\"two  words\nmore\",2026-10-01\n")
  }

  @Test func aDamagedWorkbookIsAnError() throws {
    let error = #expect(throws: WorkbookError.self) {
      try workbook(
        """
        sheet.append(["a"]); book.save(path)
        data = open(path, "rb").read(); open(path, "wb").write(data[:len(data) // 2])
        """)
    }
    #expect(error?.kind == .damaged)
  }

  @Test func entitiesOfADocumentAreRefused() throws {
    let (book, folder) = try workbook(
      #"""
      sheet.append(["a"]); book.save(path)
      import shutil
      inside = zipfile.ZipFile(path); parts = {n: inside.read(n) for n in inside.namelist()}; inside.close()
      parts["xl/worksheets/sheet1.xml"] = b'<!DOCTYPE a [<!ENTITY x "yyyyyyyy"><!ENTITY z "&x;&x;">]><worksheet>&z;</worksheet>'
      out = zipfile.ZipFile(path, "w")
      for n, d in parts.items(): out.writestr(n, d)
      out.close()
      """#)
    defer { withExtendedLifetime(folder) {} }
    let error = try #require(throws: WorkbookError.self) { try text(book) }
    #expect(error.message.contains("declares entities"))
  }

  @Test func cellsThatRepeatAHugeTextAreRefused() {
    let rows = SheetRows(sheet: "Tasks", most: 1000)
    for number in 0..<9 {
      rows.add([UInt8](repeating: 0x78, count: 99), column: 0)
      rows.endRow()
      if number == 4 { rows.clear() }
    }
    #expect(rows.error == nil)
    // A spreadsheet writes a text once, and cells name it by its number.
    rows.add([UInt8](repeating: 0x78, count: 99), column: 0)
    rows.add([UInt8](repeating: 0x78, count: 99), column: 1)
    #expect(
      rows.error?.message
        == "the sheet \"Tasks\" has far more text than the file has bytes: its cells repeat huge texts")
    #expect(rows.error?.hint == "if you trust it, save the sheet as CSV and import that")
  }

  @Test func negativeRepetitionsOfCellsAndRowsAreNone() throws {
    let (book, folder) = try workbook(
      #"""
      cell = lambda n, t: f'<table:table-cell table:number-columns-repeated="{n}"><text:p>{t}</text:p></table:table-cell>'
      row = lambda n, c: f'<table:table-row table:number-rows-repeated="{n}">{c}</table:table-row>'
      out = zipfile.ZipFile(path, "w")
      out.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
      out.writestr("content.xml", '<o xmlns:table="t" xmlns:text="x"><table:table table:name="Tasks">'
        + row(1, cell(1, "Text")) + row(-5, cell(1, "never")) + row(2, cell(-3, "no") + cell(1, "Milk")) + '</table:table></o>')
      out.close()
      """#, "list.ods")
    defer { withExtendedLifetime(folder) {} }
    #expect(try text(book).0 == "Text\nMilk\nMilk\n")
  }
}
