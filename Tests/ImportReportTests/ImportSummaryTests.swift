import Files
import ImportEngine
import ImportFormats
import JSON
import TestSupport
import Testing

@testable import ImportReport

@Suite struct ImportSummaryTests {
  private static func summary() -> ImportSummary {
    var report = ImportReport()
    report.total = 12_345
    report.added = 12_000
    report.addedBefore = 5_000
    report.skipped = 30
    report.failed = 13
    report.unsettled = 2
    report.unsent = 300
    report.resumed.at = 5_001
    report.seconds = 48.21
    var statistics = ImportStatistics()
    for request in 1...1000 {
      statistics.requestEnded(latency: Double(request) / 1e5, status: 201, at: Double(request) / 100)
    }
    statistics.requestEnded(latency: 0.02, status: 429, at: 11)
    statistics.requestEnded(latency: 30, status: 0, at: 41)
    for _ in 0..<3 { statistics.retried(code: "too_many_requests") }
    statistics.retried(code: "timeout")
    statistics.waited(seconds: 12, reason: .asked(status: 429))
    statistics.waited(seconds: 8.5, reason: .asked(status: 429))
    for row in 1...12 {
      let failure = RowFailure(
        row: row * 7, line: row * 7 + 1, reason: "POST was answered 409 (conflict)", code: "conflict", status: 409,
        text: "task \(row)")
      statistics.failed(failure)
      report.failures.append(failure)
    }
    statistics.failed(RowFailure(row: 9, line: 10, reason: "the text is empty", code: "empty_text", text: ""))
    statistics.sample(settled: 1002, failed: 13, inFlight: 24, limit: 32, at: 47)
    statistics.finish(at: 48.21)
    var window = ConcurrencyWindow(bounds: 1...64)
    for request in 0..<23 { window.succeeded(latency: 0.001, at: Double(request) / 100, inFlight: 64) }
    window.overloaded(latency: 0.02, at: 11)
    statistics.concurrency = window.changes
    var summary = ImportSummary(
      source: "tasks.csv", startedAt: 1_795_250_000, ending: .interrupted, report: report, statistics: statistics)
    summary.account = "ada"
    summary.api = "https://api.example"
    summary.journal = "/home/ada/.local/state/b2c-run/imports/0123.sqlite"
    summary.failedRows = "tasks.csv.failed.ndjson"
    summary.options = ["rate": 500]
    return summary
  }

  @Test func textSaysEverything() {
    #expect(
      ImportSummaryText.render(Self.summary()) == """
        tasks.csv: interrupted after 12,345 rows and 48.2 s, 145 added a second
          added         7,000
          added before  5,000  by earlier runs
          skipped          30
          failed           13
            conflict       12  rows 7, 14, 21, 28, 35, 42, 49, 56, …
            empty_text      1  row 9
          unsettled         2  sent, and it is not known whether they were added
          not sent        300
          latency       median 5.05 ms, 95 % 9.57 ms, 99 % 9.83 ms, longest 30.0 s
          concurrency   up to 24 at a time
          sent again        4  too_many_requests 3, timeout 1
          waited        20.5 s in 2 waits: the server asked for it (429)
          journal       /home/ada/.local/state/b2c-run/imports/0123.sqlite
          failed rows   tasks.csv.failed.ndjson
        Import it again to continue: added rows are not sent again.
        The next run finds out, as far as that can be, whether the unsettled rows were added.
        Correct the failed rows in tasks.csv.failed.ndjson and import that file.
        """)
  }

  @Test func textOfAShortImportIsShort() {
    var report = ImportReport()
    report.total = 1
    report.added = 1
    report.seconds = 0.012
    var statistics = ImportStatistics()
    statistics.requestEnded(latency: 0.0102, status: 201, at: 0.0102)
    statistics.concurrency = ConcurrencyWindow(bounds: 1...16).changes
    let summary = ImportSummary(
      source: "a.txt", startedAt: 0, ending: .finished, report: report, statistics: statistics)
    #expect(
      ImportSummaryText.render(summary) == """
        a.txt: 1 row in 12.0 ms, 83 added a second
          added        1
          latency      median 10.2 ms, 95 % 10.2 ms, 99 % 10.2 ms, longest 10.2 ms
          concurrency  up to 1 at a time
        """)
  }

  @Test func textOfADryRun() {
    var report = ImportReport()
    report.total = 100
    report.unsent = 98
    report.skipped = 2
    report.seconds = 0.2
    let summary = ImportSummary(
      source: "a.txt", startedAt: 0, ending: .dryRun, report: report, statistics: ImportStatistics())
    #expect(
      ImportSummaryText.render(summary) == """
        a.txt: 100 rows checked in 200 ms, nothing was sent
          to be added  98
          skipped       2
        """)
  }

  /// If the last run could not settle a row, another run cannot settle it either without the user.
  @Test func whoeverHasUnsettledRowsIsAsked() {
    var summary = Self.summary()
    summary.ending = .finished
    summary.report.unsent = 0
    #expect(
      summary.advice == [
        "See whether the unsettled rows are there, then import again with --unsettled resend, or --unsettled skip.",
        "Correct the failed rows in tasks.csv.failed.ndjson and import that file.",
      ])
  }

  @Test func whoeverHasNoJournalIsTold() {
    var summary = Self.summary()
    summary.ending = .stopped(code: "stopped", message: "the server cannot be reached", hint: "Start the server.")
    summary.journal = nil
    #expect(
      summary.advice.prefix(2) == [
        "Start the server.", "There is no journal of this import: to import it again sends every row once more.",
      ])
    #expect(
      ImportSummaryText.render(summary).hasPrefix(
        "tasks.csv: ended after 12,345 rows and 48.2 s, 145 added a second: the server cannot be reached\n"))
  }

  @Test func documentSaysEverything() throws {
    let document = ImportReportJSON.document(Self.summary())
    #expect(document["version"] == 1)
    #expect(document["source"] == "tasks.csv")
    #expect(document["account"] == "ada")
    #expect(document["api"] == "https://api.example")
    #expect(document["started"] == "2026-11-21T08:33:20Z")
    #expect(document["seconds"] == 48.21)
    #expect(document["rate"] == 145.2)
    #expect(document["ending"] == "interrupted")
    #expect(document["options"] == ["rate": 500])
    #expect(
      document["rows"] == [
        "total": 12_345, "lost": [:], "added": 12_000, "added_now": 7_000, "added_before": 5_000, "skipped": 30,
        "failed": 13,
        "unsettled": 2,
        "unsent": 300, "resumed_at": 5_001,
      ])
    #expect(document["requests"]?["statuses"] == ["201": 1000, "429": 1, "none": 1])
    #expect(document["requests"]?["retries"] == ["too_many_requests": 3, "timeout": 1])
    #expect(document["requests"]?["latency"]?["max"] == 30.0)
    #expect(
      document["concurrency"] == [
        "highest": 24, "decreases": ["overloaded": 1, "latency": 0],
        "changes": [
          ["seconds": 0.22, "limit": 24, "reason": "starting"], ["seconds": 11.0, "limit": 16, "reason": "overloaded"],
        ],
      ])
    #expect(
      document["waits"] == [
        ["reason": "retry_after", "description": "the server asked for it (429)", "count": 2, "seconds": 20.5]
      ])
    #expect(document["failures"]?.array?.first?["rows"]?.array?.count == 12)
    #expect(
      document["failures"]?.array?.last == [
        "code": "empty_text", "count": 1, "status": nil, "reason": "the text is empty", "rows": [9],
      ])
    #expect(
      document["failed_rows"]?.array?.first == [
        "row": 7, "line": 8, "code": "conflict", "status": 409, "reason": "POST was answered 409 (conflict)",
        "text": "task 1", "unsettled": false,
      ])
    #expect(document["series"]?.array?.first?["rows"] == 1002)
    #expect(document["journal"] == "/home/ada/.local/state/b2c-run/imports/0123.sqlite")
    #expect(document["failed_rows_file"] == "tasks.csv.failed.ndjson")
    #expect(document["advice"]?.array?.count == 3)
    #expect(document["error"] == nil)
  }

  @Test func documentOfAStoppedImport() {
    var summary = Self.summary()
    summary.ending = .stopped(code: "stopped", message: "the server cannot be reached", hint: nil)
    let document = ImportReportJSON.document(summary)
    #expect(document["ending"] == "stopped")
    #expect(document["error"] == ["code": "stopped", "message": "the server cannot be reached", "hint": nil])
  }

  @Test func documentIsWrittenWhole() throws {
    let folder = TemporaryFolder()
    let path = folder.write("old", to: "report.json")
    try ImportReportJSON.write(Self.summary(), to: OutputPlace(path))
    let text = try #require(folder.read("report.json"))
    #expect(text.hasSuffix("}\n"))
    #expect(try JSON(parsing: text) == ImportReportJSON.document(Self.summary()))
    #expect(folder.names == ["report.json"])
  }
}
