import Diagnostics
import TaskImport
import Testing

@Suite struct CSVHeaderTests {
  private func header(_ line: String) throws -> (CSVHeader, TemporaryFile) {
    let file = TemporaryFile(line + "\n")
    return (try CSVReader(path: file.path).header, file)
  }

  @Test(arguments: [
    ("Due,Text", 1), ("id,text,due", 1), ("TITLE,Due", 0), ("Project,Task", 1), ("Name,Due", 0), ("Description", 0),
    ("Text,Title", 0), ("Description,Text", 1), ("Anything", 0),
  ])
  func findsTheText(line: String, column: Int) throws {
    let (header, _) = try header(line)
    #expect(try header.textColumn() == column)
  }

  @Test func ambiguous() throws {
    let (header, file) = try header("Title,Due,Description")
    let error = #expect(throws: ImportError.self) { try header.textColumn() }
    #expect(error?.code == "ambiguous_column")
    #expect(
      error?.description == "\(file.path): the text may be in the columns \"Title\" or \"Description\" "
        + "(say which with map = function(row) return { text = row[\"Title\"] } end)")
  }

  @Test func missing() throws {
    let (header, file) = try header("Subject,Due")
    let error = #expect(throws: ImportError.self) { try header.textColumn() }
    #expect(error?.code == "missing_column")
    #expect(
      error?.description == "\(file.path) has no column called \"Text\": its columns are \"Subject\", \"Due\" "
        + "(say which holds the text with map = function(row) return { text = row[\"Subject\"] } end)")
  }

  @Test func otherSeparator() throws {
    let (header, file) = try header("Text;Due")
    let error = #expect(throws: ImportError.self) { try header.textColumn() }
    #expect(
      error?.description == "\(file.path) has a single column, called \"Text;Due\" (is the separator ';'?)")
  }

  @Test func byName() throws {
    let (header, file) = try header("Text,Due,Project")
    #expect(try header.column(named: "Due") == 1)
    let error = #expect(throws: ImportError.self) { try header.column(named: "Projekt") }
    #expect(error?.code == "missing_column")
    #expect(
      error?.description == "\(file.path) has no column \"Projekt\": its columns are \"Text\", \"Due\", \"Project\" "
        + "(did you mean \"Project\"?)")
  }
}
