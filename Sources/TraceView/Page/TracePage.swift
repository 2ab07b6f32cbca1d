import Core
import JSON
import Pages
package import Trace

/// A trace as a page in one file.
package enum TracePage {
  /// Writes the page of a trace, named `name` for people.
  /// - Parameter events: a regular file; it is read twice from its beginning and stays open.
  package static func write(events: CInt, to output: CInt, name: String = "the trace") throws(TraceError) {
    let trace = try RecordedTrace(events, name: name)
    let story = Story(trace)
    var file = TraceOutput(output, name: "the page")
    let page = HTMLPage(title: "\(trace.title) – trace", style: style, script: script)
    try file.write(page.start)
    try file.write(heading(trace, story))
    try file.write(
      DiagramHTML.shapes + "<div class=\"layout\"><main>\n<section class=\"card\" id=\"diagram\"><h2>Diagram</h2>\n")
    try DiagramHTML(story: story).write(to: &file)
    try file.write("</section>\n<section class=\"card\" id=\"waterfall\"><h2>Waterfall</h2>\n")
    try WaterfallHTML(story: story, length: trace.length).write(to: &file)
    try file.write(
      """
      </section>
      \(HTML(.section, class: "card", id: "claims", HTML(.h2, "Claims"), "\n", ClaimsHTML(trace: trace).html).text)
      <section id="appendix"></section></main>
      \(panel)</div>

      """)
    try writeData(events, name, id: "data", &file)
    try file.write(page.end)
    try file.flush()
  }

  static let panel = """
    <aside id="panel" class="card screen" tabindex="-1" aria-label="Details" hidden>\
    <button id="close" aria-label="Close the details">✕</button><div></div></aside>
    """

  /// The lines of the trace as they are, as JSON in a script element.
  static func writeData(_ events: CInt, _ name: String, id: String, _ file: inout TraceOutput) throws(TraceError) {
    try file.write("<script type=\"application/json\" id=\"\(id)\">[\n")
    let source = TraceLines(events, name: name)
    var isFirst = true
    while let (line, isWhole) = try source.next() {
      // A line that is cut off is no JSON.
      guard isWhole || (try? JSON(parsing: line)) != nil else { break }
      try file.write((isFirst ? "" : ",\n") + HTMLPage.embedded(String(decoding: line, as: UTF8.self)))
      isFirst = false
    }
    try file.write("]</script>\n")
  }

  private static func heading(_ trace: RecordedTrace, _ story: Story) -> HTML {
    let failed = story.steps.enumerated().filter { $0.element.failure != nil }
    let errors = failed.first.map { first in
      HTML(.a, class: "bad", with: ["href": "#row-\(first.offset)"], Amount.count(failed.count, "error"))
    }
    let facts = trace.facts + [errors].compactMap(\.self)
    return HTML(
      .header, HTML(.h1, trace.title), factList(facts),
      trace.leftOut.map { HTML(.p, class: "quiet", "Not in it: \($0)") },
      trace.warning.map { HTML(.p, class: "problem", $0) },
      parts([("diagram", "Diagram"), ("waterfall", "Waterfall"), ("claims", "Claims")]),
      noScript("Your browser runs no scripts, so nothing opens by a click. The pictures are whole."), "\n")
  }

  static func factList(_ facts: [HTML]) -> HTML { HTML(.ul, class: "facts", facts.map { HTML(.li, $0) }) }

  static func noScript(_ text: String) -> HTML { HTML(.noscript, HTML(.p, class: "quiet", text)) }

  /// Links to the parts of the page.
  static func parts(_ parts: [(id: String, title: String)]) -> HTML {
    HTML(
      .nav, class: "screen", with: ["aria-label": "Parts"],
      parts.map { HTML(.a, with: ["href": "#\($0.id)"], $0.title) })
  }

  /// The cells of a table's head.
  static func columns(_ names: [String]) -> [HTML] { names.map { HTML(.th, with: ["scope": "col"], $0) } }
}

extension RecordedTrace {
  var title: String { script.map { String($0.split(separator: "/").last ?? "") } ?? "b2c-run" }

  var facts: [HTML] {
    func fact(_ number: String, _ rest: String) -> HTML { .list(HTML(.b, number), rest) }
    let signIns = events.count { $0.type == "sign_in" && $0.text("outcome") != "failed" }
    var facts: [HTML] = []
    if let start = UnixTime(iso: started) {
      facts.append(HTML(.time, with: ["datetime": started], "\(start.day), \(start.clock) UTC"))
    }
    facts.append(fact(Amount.duration(length), ""))
    facts.append(fact(Amount.count(requestCount), requestCount == 1 ? " request" : " requests"))
    if signIns > 0 { facts.append(fact("\(signIns)", signIns == 1 ? " sign-in" : " sign-ins")) }
    if let exitStatus { facts.append(.list("exit status ", HTML(.b, "\(exitStatus)"))) }
    return facts
  }
}
