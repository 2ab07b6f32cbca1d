import Core
import JSON
import PageStyle
package import Trace

/// A trace as a page in one file.
package enum TracePage {
  /// Writes the page of a trace, named `name` for people.
  /// - Parameter events: a regular file; it is read twice from its beginning and stays open.
  package static func write(events: CInt, to output: CInt, name: String = "the trace") throws(TraceError) {
    let trace = try RecordedTrace(events, name: name)
    let story = Story(trace)
    var file = TraceOutput(output, name: "the page")
    let page = HTMLPage(title: "\(trace.title) – trace", body: "", style: style, script: script)
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
      <section class="card" id="claims"><h2>Claims</h2>
      \(ClaimsHTML(trace: trace).text)</section>
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

  private static func heading(_ trace: RecordedTrace, _ story: Story) -> String {
    let failed = story.steps.enumerated().filter { $0.element.failure != nil }
    var errors = ""
    if let first = failed.first {
      errors = "<li><a class=\"bad\" href=\"#row-\(first.offset)\">\(Amount.count(failed.count, "error"))</a></li>"
    }
    let left = trace.leftOut.map { "<p class=\"quiet\">Not in it: \(HTMLText.escape($0))</p>\n" }.joined()
    let warnings = left + (trace.warning.map { "<p class=\"problem\">\(HTMLText.escape($0))</p>\n" } ?? "")
    return """
      <header><h1>\(HTMLText.escape(trace.title))</h1>
      <ul class="facts">\(trace.facts.map { "<li>\($0)</li>" }.joined())\(errors)</ul>
      \(warnings)<nav class="screen" aria-label="Parts"><a href="#diagram">Diagram</a><a href="#waterfall">Waterfall</a>\
      <a href="#claims">Claims</a></nav>
      <noscript><p class="quiet">Your browser runs no scripts, so nothing opens by a click. The pictures are whole.</p>
      </noscript></header>

      """
  }
}

extension RecordedTrace {
  var title: String { script.map { String($0.split(separator: "/").last ?? "") } ?? "b2c-run" }

  var facts: [String] {
    let signIns = events.count { $0.type == "sign_in" && $0.text("outcome") != "failed" }
    var facts: [String] = []
    if let start = UnixTime(iso: started) {
      facts.append("<time datetime=\"\(HTMLText.escape(started))\">\(start.day), \(start.clock) UTC</time>")
    }
    facts.append("<b>\(Amount.duration(length))</b>")
    facts.append("<b>\(Amount.count(requestCount))</b> \(requestCount == 1 ? "request" : "requests")")
    if signIns > 0 { facts.append("<b>\(signIns)</b> \(signIns == 1 ? "sign-in" : "sign-ins")") }
    if let exitStatus { facts.append("exit status <b>\(exitStatus)</b>") }
    return facts
  }
}
