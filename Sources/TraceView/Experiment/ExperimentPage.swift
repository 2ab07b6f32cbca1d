import Core
import JSON
import Pages
package import Trace

/// An experiment as a page in one file: the table of its runs, the trace of each, and the comparison of any two.
package enum ExperimentPage {
  package static func write(_ experiment: Experiment, to output: CInt) throws(TraceError) {
    var file = TraceOutput(output, name: "the page")
    let page = HTMLPage(
      title: "\(experiment.subject) – experiment", style: TracePage.style + ComparisonPage.style + style,
      script: TracePage.script + script)
    try file.write(page.start)
    let heading = HTML(
      .header, HTML(.h1, experiment.subject), TracePage.factList([.list(experiment.summary)]),
      HTML(.dl, class: "setting", setting(experiment)),
      TracePage.noScript(
        "Your browser runs no scripts, so runs cannot be compared. All runs are on the page."))
    let runs = HTML(
      .section, class: "card", id: "runs", HTML(.h2, "Runs"), table(experiment),
      HTML(
        .p, class: "quiet screen", "A number opens the trace of its run. Two marked runs are compared."))
    try file.write(
      """
      \(heading.text)
      \(DiagramHTML.shapes)<div class="layout"><main>\(runs.text)
      <section class="card screen" id="comparison" tabindex="-1" hidden></section>

      """)
    for (index, run) in experiment.runs.enumerated() {
      let summary = HTML(
        .summary, HTML(.b, "Run \(index + 1)"), " ", HTML(.span, class: "quiet", title(run, experiment)))
      try file.write(
        "<details class=\"card run\" id=\"run-\(index + 1)\">"
          + HTML.list(summary, run.failure?.html, differences(run)).text)
      try DiagramHTML(story: Story(run.trace), prefix: "\(index + 1)").write(to: &file)
      try file.write("</details>\n")
    }
    try file.write("</main>\n\(TracePage.panel)</div>\n")
    for (index, run) in experiment.runs.enumerated() {
      try TracePage.writeData(run.input.file, run.trace.name, id: "data-\(index + 1)", &file)
    }
    let data = HTMLPage.embedded(experiment.json.encoded())
    try file.write("<script type=\"application/json\" id=\"experiment\">\(data)</script>\n")
    try file.write(page.end)
    try file.flush()
  }

  private static func setting(_ experiment: Experiment) -> [HTML] {
    experiment.facts.map { name, value in
      .list(HTML(.dt, name), HTML(.dd, name == "command" ? HTML(.code, value) : .list(value)))
    }
  }

  private static func title(_ run: Experiment.Run, _ experiment: Experiment) -> String {
    if !experiment.findings.isEmpty { return run.values.joined() }
    return zip(experiment.varied, run.values).map { "\($0.name)=\(Experiment.shown($1))" }.joined(separator: ", ")
  }

  private static func table(_ experiment: Experiment) -> HTML {
    guard experiment.findings.isEmpty else { return FindingsHTML.table(experiment) }
    let names =
      ["run"] + experiment.varied.map(\.name) + ["outcome", "code", "requests", "time", "differs from the first in"]
    let rows = experiment.runs.enumerated().map { index, run in
      let cells =
        run.values.map(Experiment.shown) + [
          run.outcome, run.failure?.code ?? "", "\(run.trace.requestCount)", Amount.duration(run.trace.length),
          run.changes.joined(separator: ", "),
        ]
      return row(index + 1, cells, names, isBad: run.failure != nil)
    }
    return .table(class: "runs", TracePage.columns(names), rows)
  }

  /// The row of a run, whose number opens the run; nil for a row without a run.
  static func row(_ run: Int?, _ cells: [String], _ names: [String], isBad: Bool) -> HTML {
    let number = run.map { number in
      HTML.list(
        HTML(.a, with: ["href": "#run-\(number)"], "\(number)"), " ",
        HTML(
          .input, class: "screen",
          with: ["type": "checkbox", "value": "\(number)", "aria-label": "Compare run \(number)"]))
    }
    return HTML(
      .tr, class: isBad ? "bad" : nil, HTML(.th, with: ["scope": "row"], number ?? .list("–")),
      zip(names.dropFirst(), cells).map { HTML(.td, with: ["data-name": $0], $1) })
  }

  private static func differences(_ run: Experiment.Run) -> HTML? {
    guard !run.differences.isEmpty else { return nil }
    let rows = run.differences.map { difference in
      HTML(
        .tr, HTML(.td, difference.place), ComparisonPage.name(difference.name),
        ComparisonPage.value(difference.first), ComparisonPage.value(difference.second))
    }
    return .table(class: "differences narrow", TracePage.columns(["Where", "What", "Run 1", "Here"]), rows)
  }

  private static let style = """
    .setting { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem .8rem; margin: .5rem 0 0; }
    .setting dt { color: var(--quiet); } .setting dd { margin: 0; overflow-wrap: anywhere; }
    .runs .bad td { color: var(--bad); } .runs input { width: 1.1rem; height: 1.1rem; margin: 0 0 0 .4rem; vertical-align: middle; }
    .runs td, .runs th { font-variant-numeric: tabular-nums; overflow-wrap: break-word; } .runs th:first-child { white-space: nowrap; }
    .run summary { margin: -.3rem 0; } .run[open] summary { margin-bottom: .75rem; }
    @media (max-width: 40rem) { .runs thead { display: none; } .runs tr { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
        padding: .5rem 0; border-bottom: 1px solid var(--faint); } .runs td, .runs tbody th { border: 0; padding: .1rem .4rem .1rem 0; }
        .runs tbody th, .runs td:last-child { grid-column: 1 / -1; } .runs td:empty { display: none; }
        .runs td::before { content: attr(data-name) " "; color: var(--quiet); } }

    """

  /// The actions besides those of a trace: a link opens its run, and two marks compare two runs.
  private static let script = #"""
    const experiment = JSON.parse(find("#experiment").textContent);
    const openRun = (hash) => {
      const run = hash.startsWith("#run-") && document.getElementById(hash.slice(1));
      if (run) { run.open = true; run.scrollIntoView(); }
    };
    addEventListener("hashchange", () => openRun(location.hash));
    document.addEventListener("click", (event) => openRun(event.target.closest("a[href^='#run-']")?.hash || ""));
    openRun(location.hash);

    // Each run has its differences to the first run: the value of a run without one is that of the first.
    const compareRuns = (one, other) => {
      const rows = new Map();
      for (const [side, number] of [[0, one], [1, other]]) for (const difference of experiment.runs[number - 1].differences) {
        const key = JSON.stringify([difference.where, difference.what]);
        const row = rows.get(key) || { ...difference, values: [difference.first, difference.first] };
        row.values[side] = difference.here;
        rows.set(key, row);
      }
      return [...rows.values()].filter((row) => row.values[0] !== row.values[1]);
    };
    const marks = [];
    document.addEventListener("change", (event) => {
      const box = event.target.closest(".runs input");
      if (!box) return;
      if (box.checked) marks.push(box); else marks.splice(marks.indexOf(box), 1);
      if (marks.length > 2) marks.shift().checked = false;
      const place = find("#comparison");
      place.hidden = marks.length < 2;
      if (place.hidden) return;
      const [one, other] = marks.map((mark) => Number(mark.value)).sort((a, b) => a - b);
      const cell = (value) => value === undefined ? make("span", { class: "quiet" }, "–") : make("code", {}, value);
      const rows = compareRuns(one, other).map((row) => make("tr", {}, make("td", {}, row.where),
        make("th", { scope: "row" }, make("code", {}, row.what)), ...row.values.map((value) => make("td", {}, cell(value)))));
      const head = ["Where", "What", `Run ${one}`, `Run ${other}`].map((name) => make("th", { scope: "col" }, name));
      place.replaceChildren(make("h2", {}, `Runs ${one} and ${other}`), rows.length === 0
        ? make("p", {}, "No differences, apart from times and values that are new in each run.")
        : make("table", { class: "differences narrow" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
      place.scrollIntoView({ block: "nearest" });
    });

    """#
}
