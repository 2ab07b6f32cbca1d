import Core
import ImportFormats
import TestSupport
import Testing

@Suite struct CSVHeaderTests {
  private func header(_ line: String) throws -> (CSVHeader, TemporaryFile) {
    let file = TemporaryFile(line + "\n")
    return (try CSVReader(path: file.path).header, file)
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
