package import HostLoop
import Lua
import Pages

/// Writes a coverage as text, as lcov's trace file, and as a page.
@HostActor
package struct CoverageReport {
  private let files: [Coverage.File]

  package init(_ coverage: Coverage) { files = coverage.files }

  private struct Totals {
    var lines = 0, coveredLines = 0, branches = 0, takenBranches = 0

    init(_ files: [Coverage.File]) {
      for file in files {
        lines += file.lines.count
        coveredLines += file.coveredLines
        let ways = file.branches.flatMap(\.targets)
        branches += ways.count
        takenBranches += ways.count { $0.isTaken }
      }
    }

    var text: String {
      "\(coveredLines) of \(lines) lines"
        + (branches == 0 ? "" : ", \(takenBranches) of \(branches) branches") + " (\(percent) %)"
    }

    private var percent: Int { lines == 0 ? 100 : 100 * coveredLines / lines }
  }

  /// A line for each file, and one for all.
  package var text: String {
    let lines = files.map { file in
      let missing = Self.ranges(file.lines.filter { $0.count == 0 }.map(\.line))
      return "  \(file.path): \(Totals([file]).text)" + (missing.isEmpty ? "" : "; not run: \(missing)")
    }
    return (["coverage: \(Totals(files).text)"] + lines).map { $0 + "\n" }.joined()
  }

  /// `3, 7-9`
  private static func ranges(_ lines: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for line in lines {
      if let last = ranges.last, last.upperBound + 1 == line {
        ranges[ranges.count - 1] = last.lowerBound...line
      } else {
        ranges.append(line...line)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ", ")
  }

  /// The format of geninfo(1), which editors and services read.
  package var lcov: String {
    files.map { file in
      var lines = ["TN:", "SF:\(file.path)"]
      let ways = file.branches.enumerated().flatMap { block, branch in
        branch.targets.enumerated().map { number, target in
          "BRDA:\(branch.line),\(block),\(number),"
            + (file.counts.lines[branch.line] ?? 0 == 0 ? "-" : target.isTaken ? "1" : "0")
        }
      }
      lines += ways
      lines += ["BRF:\(ways.count)", "BRH:\(file.branches.flatMap(\.targets).count { $0.isTaken })"]
      lines += file.lines.map { "DA:\($0.line),\($0.count)" }
      lines += ["LF:\(file.lines.count)", "LH:\(file.coveredLines)", "end_of_record"]
      return lines.map { $0 + "\n" }.joined()
    }.joined()
  }

  /// A page with the source of each file: lines that have not run are marked, and branches that were taken one way only.
  package var page: String {
    let body = HTML.list(
      HTML(.header, HTML(.h1, "Coverage"), HTML(.p, class: "quiet", Totals(files).text)), files.map(Self.section))
    return HTMLPage(title: "Coverage", body: body, style: Self.style).text
  }

  private static func section(_ file: Coverage.File) -> HTML {
    let counts = file.counts.lines
    let code = file.code.lines
    let partial = Dictionary(
      file.branches.filter { counts[$0.line] ?? 0 > 0 }
        .map { ($0.line, $0.targets.filter { !$0.isTaken }.map { "never to line \($0.line)" }) }
    ) { $0 + $1 }
    let text = String(decoding: file.source, as: UTF8.self)
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line -> HTML in
      let number = index + 1
      let count = code.contains(number) ? counts[number] ?? 0 : nil
      let missing = partial[number].flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") }
      let look = count == 0 ? "missed" : missing != nil ? "partial" : nil
      return HTML(
        .tr, class: look, HTML(.td, class: "number quiet", "\(number)"),
        HTML(.td, class: "number", count.map { $0 == 0 ? "not run" : "\($0) ×" } ?? ""),
        HTML(.td, HTML(.code, String(line)), missing.map { HTML(.span, class: "quiet", "  \($0)") }))
    }
    return HTML(
      .section, class: "card", HTML(.h2, file.path), HTML(.p, class: "quiet", Totals([file]).text),
      HTML(.table, HTML(.tbody, rows)))
  }

  private static let style = """
    section td { border: 0; padding-top: 0; padding-bottom: 0; } section code { white-space: pre-wrap; }
    .missed td { background: var(--bad-ground); } .missed td:nth-child(2) { color: var(--bad); }
    .partial td:nth-child(2) { color: var(--warn); }
    """
}
