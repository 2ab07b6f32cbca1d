import Core

/// The summary that a person reads at the end of an import.
package enum ImportSummaryText {
  private static let gap = "  "

  /// One line of the table: a label, a number, what there is to say about it.
  private struct Line {
    var label: String
    var number: Int?
    var text = ""
  }

  /// Several lines without an end of the last. What is zero is left out.
  package static func render(_ summary: ImportSummary) -> String {
    let lines = lines(summary)
    let labelWidth = lines.map(\.label.displayWidth).max() ?? 0
    let numberWidth = lines.compactMap(\.number).map { ProgressLine.grouped($0).count }.max() ?? 0
    let table = lines.map { line in
      let label = line.label + spaces(labelWidth - line.label.displayWidth)
      guard let number = line.number.map(ProgressLine.grouped) else { return gap + label + gap + line.text }
      let cells = gap + label + gap + spaces(numberWidth - number.count) + number
      return line.text.isEmpty ? cells : cells + gap + line.text
    }
    // Names of files come from anywhere.
    return ([title(summary)] + table + summary.advice).map(\.displayable).joined(separator: "\n")
  }

  private static func title(_ summary: ImportSummary) -> String {
    let report = summary.report
    let rows = "\(ProgressLine.grouped(report.total)) \(report.total == 1 ? "row" : "rows")"
    let time = ProgressLine.shortTime(report.seconds)
    switch summary.ending {
    case .dryRun: return "\(summary.source): \(rows) checked in \(time), nothing was sent"
    case .finished: return "\(summary.source): \(rows) in \(time)\(rate(summary))"
    case .interrupted: return "\(summary.source): interrupted after \(rows) and \(time)\(rate(summary))"
    case .stopped(_, let message, _):
      return "\(summary.source): ended after \(rows) and \(time)\(rate(summary)): \(message)"
    }
  }

  private static func rate(_ summary: ImportSummary) -> String {
    summary.rate >= 1 ? ", \(ProgressLine.grouped(Int(summary.rate))) added a second" : ""
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
    add("added before", report.addedBefore, "by earlier runs")
    add("skipped", report.skipped)
    add("failed", report.failed)
    for (code, group) in summary.statistics.failures.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) })
    {
      lines.append(Line(label: "  \(code)", number: group.count, text: rows(group)))
    }
    add("unsettled", report.unsettled, "sent, and it is not known whether they were added")
    if !isDry { add("not sent", report.unsent) }
    return lines + requests(summary.statistics) + files(summary)
  }

  private static func rows(_ group: ImportStatistics.FailureGroup) -> String {
    let shown = group.rows.prefix(8).map(ProgressLine.grouped).joined(separator: ", ")
    return "\(group.count == 1 ? "row" : "rows") \(shown)\(group.count > min(8, group.rows.count) ? ", …" : "")"
  }

  private static func requests(_ statistics: ImportStatistics) -> [Line] {
    let latencies = statistics.latencies
    guard latencies.count > 0 else { return [] }
    let times = [("median", 50.0), ("95 %", 95), ("99 %", 99)].map { name, percent in
      "\(name) \(ProgressLine.shortTime(latencies.percentile(percent)))"
    }
    var lines = [
      Line(
        label: "latency",
        text: (times + ["longest \(ProgressLine.shortTime(latencies.longest))"]).joined(separator: ", ")),
      Line(label: "concurrency", text: "up to \(ProgressLine.grouped(statistics.highestConcurrency)) at a time"),
    ]
    let retries = statistics.retries.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !retries.isEmpty {
      lines.append(
        Line(
          label: "sent again", number: retries.reduce(0) { $0 + $1.value },
          text: retries.map { "\($0.key) \(ProgressLine.grouped($0.value))" }.joined(separator: ", ")))
    }
    for (reason, wait) in statistics.waits.sorted(by: { $0.value.seconds > $1.value.seconds }) {
      let time = ProgressLine.shortTime(wait.seconds)
      lines.append(
        Line(
          label: "waited", text: "\(time) in \(wait.count) \(wait.count == 1 ? "wait" : "waits"): \(reason.description)"
        ))
    }
    return lines
  }

  private static func files(_ summary: ImportSummary) -> [Line] {
    var lines: [Line] = []
    if let journal = summary.journal { lines.append(Line(label: "journal", text: journal)) }
    if let failedRows = summary.failedRows { lines.append(Line(label: "failed rows", text: failedRows)) }
    return lines
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
