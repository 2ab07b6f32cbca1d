import Foundation
import HostLoop
import JOSE
import Testing

/// `import --report FILE.html`, in a real browser.
@Suite("The report of an import as a page", .serialized, .timeLimit(.minutes(2)))
@HostActor struct ImportReportPageTests {
  @Test("charts, and the rows that failed by their reasons") func page() async throws {
    let program = try Program()
    let rows = (1...40).map { $0 == 7 ? #"{"text": ""}"# : #"{"text": "Row <\#($0)>"}"# }
    try program.write("tasks.ndjson", rows.joined(separator: "\n"))
    let result = try program.run("--quiet", "--local", "import", "tasks.ndjson", "--report", "import.html")
    #expect(result.status == 5, "\(result)")
    let path = program.folder.appending(path: "import.html").path
    #expect(!(try String(contentsOfFile: path, encoding: .utf8)).contains("<script"))
    try await WebBrowser.with { browser in
      try await browser.open("file://\(path)")
      #expect(try await browser.text("h1") == "tasks.ndjson")
      #expect(try await browser.text(".facts").contains("39 added"))
      #expect(try await browser.evaluate("document.querySelectorAll('figure svg path').length") == 8)
      #expect(try await browser.text("details[open] td.number") == "7")
      #expect(try await browser.evaluate("document.documentElement.scrollWidth <= innerWidth") == true)
      #expect(try await browser.evaluate("performance.getEntriesByType('resource').length") == 0)
    }
  }
}
