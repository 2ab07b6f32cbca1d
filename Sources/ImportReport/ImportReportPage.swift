import Core
import ImportEngine
import ImportFormats
import Pages

/// The report of an import as a page in one file: charts over time, and the failures.
enum ImportReportPage {
  static func text(_ summary: ImportSummary) -> String {
    let body = HTML.list(
      heading(summary),
      HTML(
        .main, card("Failures", id: "failures", failures(summary)), card("Over time", id: "charts", charts(summary)),
        card("Requests", requests(summary.statistics))))
    return HTMLPage(title: "Import of \(summary.source)", body: body, style: Chart.style + style).text
  }

  private static func card(_ title: String, id: String? = nil, _ content: HTML) -> HTML {
    HTML(.section, class: "card", id: id, HTML(.h2, title), content, "\n")
  }

  /// The most characters of a failed row's text. The file of failed rows has all of it.
  private static let longestText = 160

  private static func heading(_ summary: ImportSummary) -> HTML {
    func fact(_ number: String, _ rest: String = "") -> HTML { .list(HTML(.b, number), rest) }
    let report = summary.report
    var facts = [
      ("added", report.addedNow), ("added before", report.addedBefore), ("skipped", report.skipped),
      ("failed", report.failed), ("unsettled", report.unsettled),
    ].filter { $0.0 == "added" || $0.1 > 0 }.map { fact(Amount.count($0.1), " \($0.0)") }
    facts.append(fact(Amount.count(report.total), report.total == 1 ? " row" : " rows"))
    facts.append(fact(duration(report.seconds)))
    if let rate = rate(summary) { facts.append(fact(Amount.count(Int(rate.rounded())), " rows a second")) }
    let started = UnixTime(Double(summary.startedAt))
    facts.append(.list("\(started.day), \(started.clock) UTC"))
    if let account = summary.account { facts.append(.list("as \(account)")) }
    var problem: HTML?
    if case .stopped(let code, let message, _) = summary.ending {
      problem = HTML(.p, class: "problem", HTML(.b, code), HTML(.br), message)
    } else if summary.ending != .finished {
      facts.append(.list(summary.ending == .dryRun ? "checked, not sent" : "interrupted"))
    }
    return HTML(
      .header, HTML(.h1, summary.source), HTML(.ul, class: "facts", facts.map { HTML(.li, $0) }), problem,
      summary.advice.map { HTML(.p, "→ \($0)") })
  }

  /// The mean of the chart "Rows a second"; nil if it shows nothing.
  private static func rate(_ summary: ImportSummary) -> Double? {
    let points = summary.statistics.series.points
    let (rows, seconds) = (points.map(\.rows).reduce(0, +), points.map(\.seconds).reduce(0, +))
    return rows > 0 ? Double(rows) / max(seconds, 0.001) : nil
  }

  private static func charts(_ summary: ImportSummary) -> HTML {
    let points = summary.statistics.series.points
    guard points.contains(where: { $0.rows > 0 || $0.requests > 0 }) else {
      return HTML(.p, class: "quiet", "Nothing was sent.")
    }
    let length = max(points.last.map { $0.start + $0.seconds } ?? 0, 0.001)
    func values(_ value: (TimeSeries.Point) -> Double) -> [(from: Double, to: Double, value: Double)] {
      points.map { ($0.start, $0.start + $0.seconds, value($0)) }
    }
    func perSecond(_ count: Int, _ point: TimeSeries.Point) -> Double { Double(count) / max(point.seconds, 0.001) }
    var done = 0
    let rows = points.map { point in
      done += point.rows
      return (from: point.start + point.seconds, to: point.start + point.seconds, value: Double(done))
    }
    let count: @Sendable (Double) -> String = { Amount.count(Int($0.rounded())) }
    let time: @Sendable (Double) -> String = { $0 == 0 ? "0" : duration($0) }
    let limits = concurrency(summary, length)
    let hasSent = points.contains { $0.requests > 0 || $0.inFlight > 0 }
    let charts = [
      Chart("Rows", [.init("settled", .area, color: "one", [(0, 0, 0)] + rows)], length: length, unit: count),
      Chart(
        "Rows a second",
        [
          .init("settled", .area, color: "one", values { perSecond($0.rows, $0) }),
          .init("failed", .line, color: "bad", values { perSecond($0.failed, $0) }),
        ], length: length, unit: count),
      Chart(
        "Latency",
        [
          .init("99 % within", .line, color: "three", values(\.percentile99)),
          .init("95 %", .line, color: "two", values(\.percentile95)),
          .init("50 %", .line, color: "one", values(\.median)),
        ], length: length, unit: time),
      Chart(
        "Requests at once",
        [
          .init("under way", .area, color: "one", values(\.inFlight)),
          .init("allowed", .line, color: "three", limits.isEmpty ? values { Double($0.limit) } : limits),
        ], length: length, unit: count),
    ]
    // Without requests, the limit of requests says nothing.
    let shown = (hasSent ? charts : Array(charts.dropLast())).compactMap(\.withoutNothing)
    return .list(shown.map(\.html), changes(summary))
  }

  /// The limit from each of its changes to the next.
  private static func concurrency(
    _ summary: ImportSummary, _ length: Double
  ) -> [(from: Double, to: Double, value: Double)] {
    guard let log = summary.statistics.concurrency, let first = log.entries.first else { return [] }
    let entries = log.entries
    return [(0, first.time, Double(log.first))]
      + entries.enumerated().map { index, change in
        (change.time, index + 1 < entries.count ? entries[index + 1].time : length, Double(change.limit))
      }
  }

  private static func changes(_ summary: ImportSummary) -> HTML? {
    let rows = (summary.statistics.concurrency?.entries ?? []).map { change in
      [duration(change.time), Amount.count(change.limit), change.reason.sentence]
    }
    guard !rows.isEmpty else { return nil }
    return HTML(
      .details, HTML(.summary, "\(Amount.count(rows.count, "change")) of how many requests may be under way"),
      table(["When", "At once", "Why"], rows, numbers: [0, 1]))
  }

  private static func failures(_ summary: ImportSummary) -> HTML {
    let groups = summary.statistics.rankedFailures
    guard !groups.isEmpty else { return HTML(.p, class: "good", "No row failed.") }
    // Whoever mends a list needs the reasons before the rows.
    let reasons = groups.map { code, group in
      [code, group.reason, Amount.count(group.count), firstPlaces(code, group, summary)]
    }
    return .list(
      HTML(.div, class: "reasons", table(["Code", "Why", "Rows", "First lines"], reasons, numbers: [2])),
      groups.map { list($0, $1, summary) })
  }

  /// With more rows, a list is folded.
  private static let mostOpen = 20

  /// The lines of the first rows of a group; the numbers of rows for a source without lines.
  private static func firstPlaces(
    _ code: String, _ group: ImportStatistics.FailureGroup, _ summary: ImportSummary
  ) -> String {
    let most = 5
    let listed = summary.report.failures.filter { $0.code == code && !$0.isUnsettled }.prefix(most)
    let lines = listed.compactMap(\.line)
    let first =
      lines.count == listed.count && !lines.isEmpty
      ? lines.map(String.init) : group.rows.prefix(most).map { "row \($0)" }
    return first.joined(separator: ", ") + (group.count > first.count ? ", …" : "")
  }

  private static func list(
    _ code: String, _ group: ImportStatistics.FailureGroup, _ summary: ImportSummary
  ) -> HTML {
    let listed = summary.report.failures.filter { $0.code == code }
    let others = others(group, besides: listed.count)
    let rows = listed.map { failure in
      [
        String(failure.row), failure.line.map(String.init) ?? "", failure.reason,
        failure.text.clipped(to: longestText),
      ]
    }
    let status = group.status.map { ", status \($0)" } ?? ""
    return HTML(
      .details, with: ["open": group.count > mostOpen ? nil : ""],
      HTML(
        .summary, HTML(.b, class: "bad", code), " \(Amount.count(group.count, "row"))\(status): \(group.reason)"),
      table(["Row", "Line", "Why", "Text"], rows, numbers: [0, 1]), others)
  }

  /// The rows with no more than their number, and the number of further rows.
  private static func others(_ group: ImportStatistics.FailureGroup, besides listed: Int) -> HTML? {
    let numbers = group.rows.dropFirst(listed)
    let rest = group.count - max(listed, group.rows.count)
    let parts = [
      numbers.isEmpty ? "" : "rows \(numbers.map(String.init).joined(separator: ", "))",
      rest > 0 ? "\(Amount.count(rest)) more" : "",
    ].filter { !$0.isEmpty }
    return parts.isEmpty ? nil : HTML(.p, "And \(parts.joined(separator: ", and ")).")
  }

  private static func requests(_ statistics: ImportStatistics) -> HTML {
    func counts(_ numbers: [String: Int]) -> [[String]] {
      numbers.sorted { $0.key < $1.key }.map { [$0.key, Amount.count($0.value)] }
    }
    let latencies = statistics.latencies.count > 0 ? statistics.namedLatencies : []
    let waits = statistics.rankedWaits.map { reason, wait in
      [reason.description, Amount.count(wait.count), duration(wait.seconds)]
    }
    let tables = [
      (["Latency", "Time"], latencies.map { [$0.name, duration($0.seconds)] }),
      (["Status", "Requests"], counts(statistics.namedStatuses)),
      (["Sent again after", "Times"], counts(statistics.retries)), (["Waited because", "Times", "Time"], waits),
    ].filter { !$0.1.isEmpty }.map { table($0, $1, numbers: [1, 2]) }
    guard !tables.isEmpty else { return HTML(.p, class: "quiet", "No request was sent.") }
    return HTML(.div, class: "tables", tables)
  }

  private static func table(_ header: [String], _ rows: [[String]], numbers: Set<Int>) -> HTML {
    func cells(_ tag: HTML.Tag, _ cells: [String]) -> [HTML] {
      cells.enumerated().map { index, cell in HTML(tag, class: numbers.contains(index) ? "number" : nil, cell) }
    }
    return .table(cells(.th, header), rows.map { HTML(.tr, cells(.td, $0)) })
  }

  private static func duration(_ seconds: Double) -> String { Amount.duration(Int((seconds * 1e6).rounded())) }

  static let style = """
    .tables { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 1.5rem 3rem; } .tables table { flex: 0 1 17rem;
      width: auto; }
    #failures details td:nth-child(3), .reasons td:nth-child(2) { width: 45%; } .reasons { margin-bottom: 1.5rem; }
    @media (max-width: 40rem) { #failures details tr { display: grid; grid-template-columns: 4rem 4rem 1fr; padding-bottom: .3rem;
        border-bottom: 1px solid var(--faint); } #failures th, #failures td { width: auto !important; border: 0; padding-left: 0; }
      #failures details td:nth-child(n+3) { grid-column: 1 / -1; } #failures details td:nth-child(4) { color: var(--quiet); }
      #failures details th:nth-child(n+3) { display: none; } }

    """
}
