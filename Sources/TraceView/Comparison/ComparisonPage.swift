import Core
import Pages
package import Trace

/// Two traces as a page: the differences, and both diagrams side by side.
package enum ComparisonPage {
  /// - Parameter events: the two traces, regular files, each read from its beginning.
  package static func write(
    _ comparison: TraceComparison, events: (first: CInt, second: CInt), to output: CInt
  ) throws(TraceError) {
    var file = TraceOutput(output, name: "the page")
    let page = HTMLPage(
      title: "\(comparison.first.title) and \(comparison.second.title) compared",
      style: TracePage.style + style, script: TracePage.script)
    try file.write(page.start)
    try file.write(DiagramHTML.shapes + heading(comparison).text)
    let parts = HTML.list(
      HTML(.section, class: "card", id: "differences", HTML(.h2, "What differs"), differences(comparison)), "\n",
      HTML(.section, class: "card", id: "timings", HTML(.h2, "Times"), timings(comparison)))
    try file.write(
      """
      <div class="layout"><main>\(parts.text)
      <div class="pair" id="diagram"><section class="card"><h2>A</h2>

      """)
    try DiagramHTML(story: comparison.stories.first, prefix: "a", marked: comparison.marked.first).write(to: &file)
    try file.write("</section>\n<section class=\"card\"><h2>B</h2>\n")
    try DiagramHTML(story: comparison.stories.second, prefix: "b", marked: comparison.marked.second).write(to: &file)
    try file.write("</section></div></main>\n\(TracePage.panel)</div>\n")
    try TracePage.writeData(events.first, comparison.first.name, id: "data-a", &file)
    try TracePage.writeData(events.second, comparison.second.name, id: "data-b", &file)
    try file.write(page.end)
    try file.flush()
  }

  private static func heading(_ comparison: TraceComparison) -> HTML {
    let traces = [("A", comparison.first), ("B", comparison.second)].map { letter, trace in
      HTML.list(
        HTML(.h1, HTML(.span, class: "quiet", letter), " ", trace.name), TracePage.factList(trace.facts),
        trace.warning.map { HTML(.p, class: "problem", $0) })
    }
    return HTML(
      .header, traces,
      TracePage.parts([("differences", "What differs"), ("timings", "Times"), ("diagram", "Diagrams")]), "\n")
  }

  private static func differences(_ comparison: TraceComparison) -> HTML {
    let changing = comparison.changingSentence.map { HTML(.p, class: "quiet", $0) }
    guard !comparison.differences.isEmpty else {
      return .list(HTML(.p, TraceComparison.noDifferences), changing)
    }
    var last = ""
    let rows = comparison.differences.map { difference in
      defer { last = difference.place }
      return HTML(
        .tr, HTML(.td, difference.place == last ? "" : difference.place), name(difference.name),
        value(difference.first), value(difference.second))
    }
    return .list(
      HTML.table(class: "differences narrow", TracePage.columns(["Where", "What", "A", "B"]), rows), changing)
  }

  /// The cell with the name of a difference.
  static func name(_ text: String) -> HTML { HTML(.th, with: ["scope": "row"], HTML(.code, text)) }

  /// The cell with a value; nil for one that is missing.
  static func value(_ text: String?) -> HTML {
    HTML(
      .td, text.map { HTML(.code, $0) } ?? HTML(.span, class: "quiet", with: ["aria-label": "missing"], "–"))
  }

  private static func timings(_ comparison: TraceComparison) -> HTML {
    let longest = Double(comparison.timings.flatMap { [$0.first, $0.second] }.max() ?? 1)
    let scale = Scale(upTo: longest)
    let rows = comparison.timings.map { timing in
      let bars = [(timing.first, "wait"), (timing.second, "dns")].enumerated().map { place, bar in
        SVG.rectangle(
          x: "0", y: Double(2 + place * 8), width: SVG.percent(scale.share(Double(bar.0))), height: 6, class: bar.1)
      }
      let picture = HTML(.svg, class: "chart", with: ["height": "18", "aria-hidden": "true"], bars)
      return HTML(
        .tr, HTML(.td, timing.place), HTML(.td, class: "number", Amount.duration(timing.first)),
        HTML(.td, class: "number", Amount.duration(timing.second)), HTML(.td, class: "number", timing.difference),
        HTML(.td, class: "bars", picture))
    }
    func number(_ content: (any HTMLContent)...) -> HTML {
      HTML(.th, class: "number", with: ["scope": "col"], content.map { HTML.list($0) })
    }
    let head = [
      HTML(.th, with: ["scope": "col"], "Request"), number(HTML(.i, class: "wait"), "A"),
      number(HTML(.i, class: "dns"), "B"), number("Difference"), HTML(.td),
    ]
    return .list(
      HTML.table(class: "times narrow", head, rows), HTML(.p, class: "quiet", TraceComparison.timingCaution))
  }

  static let style = """
    .pair { display: grid; gap: 0 1.25rem; grid-template-columns: minmax(0, 1fr); }
    @media (min-width: 56rem) { .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
    header h1 { margin-top: .6rem; } .bars { width: 30%; } #differences p, #timings p { margin-top: .75rem; }
    .times th i { display: inline-block; width: .65rem; height: .65rem; margin-right: .35rem; border-radius: .15rem;
      print-color-adjust: exact; }
    .differences { table-layout: fixed; } .differences th:first-child { width: 26%; } .differences th:nth-child(2) { width: 18%; }
    @media (max-width: 40rem) { .bars, .times th i { display: none; } .narrow tr { display: grid;
        grid-template-columns: repeat(3, minmax(0, 1fr)); } .narrow td, .narrow th { width: auto !important; }
        .differences tr { grid-template-columns: repeat(2, minmax(0, 1fr)); } .differences tbody th { grid-column: 1 / -1; border: 0;
        padding-bottom: 0; } .differences thead th:nth-child(2), .differences th:has(code:empty) { display: none; }
        .narrow td:first-child { grid-column: 1 / -1; border: 0;
        padding-bottom: 0; } .narrow td:first-child:empty, .narrow thead th:first-child,
        .narrow thead td { display: none; } }
    @media print { .pair { display: block; } }

    """
}
