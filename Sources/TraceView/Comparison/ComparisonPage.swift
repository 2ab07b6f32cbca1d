import Core
import PageStyle
package import Trace

/// Two traces as a page: the differences, and both diagrams side by side.
package enum ComparisonPage {
  /// - Parameter events: the two traces, regular files, each read from its beginning.
  package static func write(
    _ comparison: TraceComparison, events: (first: CInt, second: CInt), to output: CInt
  ) throws(TraceError) {
    var file = TraceOutput(output, name: "the page")
    let page = HTMLPage(
      title: "\(comparison.first.title) and \(comparison.second.title) compared", body: "",
      style: TracePage.style + style, script: TracePage.script)
    try file.write(page.start)
    try file.write(DiagramHTML.shapes + heading(comparison))
    try file.write(
      """
      <div class="layout"><main><section class="card" id="differences"><h2>What differs</h2>
      \(differences(comparison))</section>
      <section class="card" id="timings"><h2>Times</h2>
      \(timings(comparison))</section>
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

  private static func heading(_ comparison: TraceComparison) -> String {
    let traces = [("A", comparison.first), ("B", comparison.second)].map { letter, trace in
      let warning = trace.warning.map { "<p class=\"problem\">\(HTMLText.escape($0))</p>" } ?? ""
      return """
        <h1><span class="quiet">\(letter)</span> \(HTMLText.escape(trace.name))</h1>
        <ul class="facts">\(trace.facts.map { "<li>\($0)</li>" }.joined())</ul>\(warning)
        """
    }
    return """
      <header>\(traces.joined(separator: "\n"))
      <nav class="screen" aria-label="Parts"><a href="#differences">What differs</a><a href="#timings">Times</a>\
      <a href="#diagram">Diagrams</a></nav></header>

      """
  }

  private static func differences(_ comparison: TraceComparison) -> String {
    let changing = comparison.changingSentence.map { "<p class=\"quiet\">\(HTMLText.escape($0))</p>\n" } ?? ""
    guard !comparison.differences.isEmpty else {
      return "<p>Nothing differs but the times and what is another each time.</p>\n\(changing)"
    }
    var last = ""
    let rows = comparison.differences.map { difference in
      defer { last = difference.place }
      return """
        <tr><td>\(HTMLText.escape(difference.place == last ? "" : difference.place))</td><th scope="row"><code>\(HTMLText.escape(difference.name))</code></th>\
        <td>\(value(difference.first))</td><td>\(value(difference.second))</td></tr>
        """
    }
    return """
      <table class="differences narrow"><thead><tr><th scope="col">Where</th><th scope="col">What</th><th scope="col">A</th><th scope="col">B</th>\
      </tr></thead>
      <tbody>\(rows.joined(separator: "\n"))</tbody></table>
      \(changing)
      """
  }

  private static func value(_ text: String?) -> String {
    text.map { "<code>\(HTMLText.escape($0))</code>" } ?? "<span class=\"quiet\" aria-label=\"missing\">–</span>"
  }

  private static func timings(_ comparison: TraceComparison) -> String {
    let longest = Double(comparison.timings.flatMap { [$0.first, $0.second] }.max() ?? 1)
    let scale = Scale(upTo: longest)
    let rows = comparison.timings.map { timing in
      let bars = [(timing.first, "wait"), (timing.second, "dns")].enumerated().map { place, bar in
        SVG.rectangle(
          x: "0", y: Double(2 + place * 8), width: SVG.percent(scale.share(Double(bar.0))), height: 6, class: bar.1)
      }
      return """
        <tr><td>\(HTMLText.escape(timing.place))</td><td class="number">\(Amount.duration(timing.first))</td>\
        <td class="number">\(Amount.duration(timing.second))</td><td class="number">\(timing.difference)</td>\
        <td class="bars"><svg class="chart" height="18" aria-hidden="true">\(bars.joined())</svg></td></tr>
        """
    }
    return """
      <table class="times narrow"><thead><tr><th scope="col">Request</th>\
      <th scope="col" class="number"><i class="wait"></i>A</th><th scope="col" class="number"><i class="dns"></i>B</th><th scope="col" class="number">Difference</th><td></td></tr></thead>
      <tbody>\(rows.joined(separator: "\n"))</tbody></table>
      <p class="quiet">\(TraceComparison.timingCaution)</p>

      """
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
