import CommandLineSupport
import Foundation
import HostLoop
import JSON
import Testing

/// `import --report FILE.html`, in a real browser.
@Suite("The report of an import as a page", .serialized, .timeLimit(.minutes(2)))
@HostActor struct ImportReportPageTests {
  @Test("charts, and the rows that failed by their reasons") func page() async throws {
    let program = try Program()
    let long = String(repeating: "long ", count: 900)
    let rows = (1...40).map { $0 == 7 ? #"{"text": ""}"# : #"{"text": "Row <\#($0)> \#($0 == 9 ? long : "")"}"# }
    try program.write("tasks.ndjson", rows.joined(separator: "\n"))
    let result = try program.run("--quiet", "--local", "import", "tasks.ndjson", "--report", "import.html")
    #expect(result.status == 5, "\(result)")
    let path = program.folder.appending(path: "import.html").path
    #expect(!(try String(contentsOfFile: path, encoding: .utf8)).contains("<script"))
    try await WebBrowser.with { browser in
      try await browser.open("file://\(path)")
      #expect(try await browser.text("h1") == "tasks.ndjson")
      #expect(try await browser.text(".facts").contains("38 added"))
      // How many lines each has depends on how long the import takes: a series of zeros is left out.
      let titles = "[...document.querySelectorAll('figcaption b')].map(title => title.textContent).join()"
      #expect(try await browser.evaluate(titles) == "Rows,Rows a second,Latency,Requests at once")
      let failed =
        "[...document.querySelectorAll('details[open] td:first-child')].map(cell => cell.textContent).sort().join()"
      #expect(try await browser.evaluate(failed) == "7,9")
      // A text is as long as one line or two: all of it is in the file of failed rows.
      #expect(try await browser.evaluate("document.querySelector('#failures').textContent.length < 1000") == true)
      #expect(try await browser.evaluate("document.documentElement.scrollWidth <= innerWidth") == true)
      #expect(try await browser.evaluate("performance.getEntriesByType('resource').length") == 0)
    }
  }
}
