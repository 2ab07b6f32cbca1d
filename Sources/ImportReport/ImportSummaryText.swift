import Core
import ImportEngine
import ImportFormats
import Pages

/// The summary that a person reads at the end of an import.
package enum ImportSummaryText {
  private static let gap = "  "

  private struct Line {
    var label: String
    var number: Int?
    var text = ""
  }

  /// Several lines without a final line break. Zeros are left out.
  package static func render(_ summary: ImportSummary) -> String {
    let lines = lines(summary)
    let labelWidth = lines.map(\.label.displayWidth).max() ?? 0
    let numberWidth = lines.compactMap(\.number).map { Amount.count($0).count }.max() ?? 0
    let table = lines.map { line in
      let label = line.label + spaces(labelWidth - line.label.displayWidth)
      guard let number = line.number.map(Amount.count) else { return gap + label + gap + line.text }
      let cells = gap + label + gap + spaces(numberWidth - number.count) + number
      return line.text.isEmpty ? cells : cells + gap + line.text
    }
    // The names of files come from anywhere.
    return ([title(summary)] + found(summary) + table + summary.advice).map(\.displayable).joined(separator: "\n")
  }

  /// The tasks and the failed rows that a dry run shows: the first ones of each.
  private static func found(_ summary: ImportSummary) -> [String] {
    guard summary.ending == .dryRun else { return [] }
    let rest = summary.report.unsent - summary.findings.checked.count
    let more = rest > 0 && !summary.findings.checked.isEmpty ? ["\(gap)and \(Amount.count(rest, "more task"))"] : []
    let failures = summary.report.failures.prefix(mostFailures).map { failure in
      let line = failure.line.map { " (line \($0))" } ?? ""
      return "\(gap)row \(failure.row)\(line) fails: \(failure.reason)"
    }
    return CheckedTaskTable.lines(summary.findings.checked) + more + failures
  }

  private static let mostFailures = 10

  private static func title(_ summary: ImportSummary) -> String {
    let report = summary.report
    let rows = Amount.count(report.total, "row")
    let time = Amount.shortTime(report.seconds)
    switch summary.ending {
    case .dryRun: return "\(summary.source): \(rows) checked in \(time), nothing was sent"
    case .finished: return "\(summary.source): \(rows) in \(time)\(rate(summary))"
    case .interrupted: return "\(summary.source): interrupted after \(rows) and \(time)\(rate(summary))"
    case .stopped(_, let message, _):
      return "\(summary.source): ended after \(rows) and \(time)\(rate(summary)): \(message)"
    }
  }

  private static func rate(_ summary: ImportSummary) -> String {
    summary.rate >= 1 ? ", \(Amount.count(Int(summary.rate))) added a second" : ""
  }

  private static func lines(_ summary: ImportSummary) -> [Line] {
    let report = summary.report
    let isDry = summary.ending == .dryRun
    var lines = [
      isDry ? Line(label: "to be added", number: report.unsent) : Line(label: "added", number: report.addedNow)
    ]
    func add(_ label: String, _ number: Int, _ text: String = "") {
      if number > 0 { lines.append(Line(label: label, number: number, text: text)) }
    }
    add("added before", report.addedBefore, isDry ? "by earlier runs, and not again" : "by earlier runs")
    add("skipped", report.skipped)
    add("failed", report.failed)
    for (code, group) in summary.statistics.rankedFailures {
      lines.append(Line(label: "  \(code)", number: group.count, text: rows(group)))
    }
    add("unsettled", report.unsettled, "sent, and it is not known whether they were added")
    if !isDry { add("not sent", report.unsent) }
    for entry in report.losses.entries { add("not kept", entry.rows, sentence(entry)) }
    if let left = summary.leftOut {
      lines.append(Line(label: "left out", text: isDry ? left.shownWithCounts : left.shown))
    }
    let files = [
      ("journal", summary.journal), ("failed rows", summary.failedRows), ("as a table", summary.failedTable),
    ].compactMap { label, path in
      path.map { Line(label: label, text: $0) }
    }
    return lines + requests(summary.statistics) + files
  }

  private static func sentence(_ loss: Losses.Entry) -> String {
    switch loss.cause {
    case .source:
      "\(loss.field): \(loss.reason ?? "the source's value is not known")\(loss.hasOtherReasons ? ", and more" : "")"
    case .service: "the service has no \(loss.field)"
    case .server: "the server's answers do not have \(loss.field) as sent"
    }
  }

  private static func rows(_ group: ImportStatistics.FailureGroup) -> String {
    let shown = group.rows.prefix(8).map(Amount.count).joined(separator: ", ")
    return "\(group.count == 1 ? "row" : "rows") \(shown)\(group.count > min(8, group.rows.count) ? ", …" : "")"
  }

  private static func requests(_ statistics: ImportStatistics) -> [Line] {
    let latencies = statistics.latencies
    guard latencies.count > 0 else { return [] }
    let times = [
      ("median", latencies.percentile(50)), ("95 %", latencies.percentile(95)), ("99 %", latencies.percentile(99)),
      ("longest", latencies.longest),
    ].map { "\($0) \(Amount.shortTime($1))" }
    var lines = [
      Line(label: "latency", text: times.joined(separator: ", ")),
      Line(label: "concurrency", text: "up to \(Amount.count(statistics.highestConcurrency)) at a time"),
    ]
    let retries = statistics.retries.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !retries.isEmpty {
      lines.append(
        Line(
          label: "sent again", number: retries.reduce(0) { $0 + $1.value },
          text: retries.map { "\($0.key) \(Amount.count($0.value))" }.joined(separator: ", ")))
    }
    for (reason, wait) in statistics.rankedWaits {
      let time = Amount.shortTime(wait.seconds)
      lines.append(Line(label: "waited", text: "\(time) in \(counted(wait.count, "wait")): \(reason.description)"))
    }
    return lines
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
