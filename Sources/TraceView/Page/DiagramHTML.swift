import Core
import Pages
import Trace

/// A row for each step, a button as wide as there is room, over the parties' lifelines, which run behind all rows.
struct DiagramHTML {
  /// The rows that are shown from the start, and that each template has.
  private static let rowsAtOnce = 200
  /// Letters that fit side by side over the lifelines on a phone.
  private static let lettersAcross = 52.0

  let story: Story
  /// The beginning of its IDs, if a page has two diagrams.
  var prefix = ""
  var marked: Set<Int> = []

  func write(to file: inout TraceOutput) throws(TraceError) {
    let lanes = story.parties.map { SVG.upright(center($0)) }
    let heads = HTML(
      .div, class: "heads", with: ["aria-hidden": "true"], HTML(.i),
      HTML(.div, story.parties.map { HTML(.span, $0.title) }))
    try file.write(
      """
      <div class="diagram" data-trace="\(prefix)">\(heads.text)
      <div class="rows">\(HTML(.svg, class: "lanes", with: ["aria-hidden": "true"], lanes).text)
      <ol aria-label="Sequence diagram">

      """)
    try file.write(story.steps, atOnce: Self.rowsAtOnce, row)
    try file.write("</ol></div></div>\n")
  }

  private func row(_ step: Step, _ index: Int) -> HTML {
    let isCall = step.kind == .call
    let side = share(step.from) < 0.4 ? " left" : share(step.from) > 0.6 ? " right" : ""
    let words = isTooLong(step) ? HTML(.span, class: "words\(side)", step.label) : nil
    let classes = [
      step.kind.rawValue, step.tone.rawValue, step.isFolded ? "folded" : "", marked.contains(index) ? "marked" : "",
    ]
    let height = isCall || step.kind == .message ? 30 : step.kind == .exchange ? 46 : 24
    let data = step.data
    let button = HTML(
      .button,
      with: [
        "data-e": data.events, "data-s": data.status, "aria-expanded": data.status.map { _ in "false" },
        "data-call": isCall ? "" : nil, "tabindex": index == 0 ? "0" : "-1", "aria-label": step.sentence,
      ], HTML(.span, class: "at", step.time),
      HTML(.svg, with: ["height": "\(height)", "aria-hidden": "true"], picture(step)),
      isCall ? step.line.map { HTML(.span, class: "line", $0) } : words)
    return .list(
      HTML(
        .li, class: classes.filter { !$0.isEmpty }.joined(separator: " "),
        id: step.failure == nil ? nil : "\(prefix)row-\(index)", button, step.failure?.html), "\n")
  }

  private func picture(_ step: Step) -> HTML {
    let label = step.label.clipped(to: Int(Self.lettersAcross))
    let (from, to) = (center(step.from), center(step.to))
    if step.kind == .note {
      let isRight = share(step.from) > 0.5
      let words = SVG.text(label, x: from, y: 16, anchor: isRight ? .end : .start, shift: isRight ? -11 : 11)
      return .list(SVG.use("dot", x: from, y: 12), isTooLong(step) ? nil : words)
    }
    let (line, mark) = (SVG.line(from, 22, to, 22, class: "go"), head(step.from, step.to, 22))
    let words = text(label, step, 16)
    guard step.kind == .exchange else { return .list(line, mark, words) }
    let answer = [step.answer ?? "", step.took.map { Amount.duration($0) } ?? ""].filter { !$0.isEmpty }
    return .list(
      line, SVG.line(to, 39, from, 39, class: "back"), SVG.use("bar", x: to, y: 22), mark,
      head(step.to, step.from, 39), words,
      text(answer.joined(separator: " · ").clipped(to: Int(Self.lettersAcross)), step, 35, class: "answer"))
  }

  /// Returns true if a note does not fit beside its lifeline. Then it stands below, where it may take several lines.
  private func isTooLong(_ step: Step) -> Bool {
    let room = max(share(step.from), 1 - share(step.from)) * Self.lettersAcross
    return step.kind == .note && Double(step.label.displayWidth) > room
  }

  /// A label between the two lifelines, or from one of them to the edge.
  private func text(_ text: String, _ step: Step, _ y: Double, class name: String = "") -> HTML {
    let (one, other) = (min(share(step.from), share(step.to)), max(share(step.from), share(step.to)))
    let middle = (one + other) / 2
    if middle > 0.3, middle < 0.7 { return SVG.text(text, x: SVG.percent(middle), y: y, anchor: .middle, class: name) }
    return middle <= 0.3
      ? SVG.text(text, x: SVG.percent(one), y: y, shift: 8, class: name)
      : SVG.text(text, x: SVG.percent(other), y: y, anchor: .end, shift: -8, class: name)
  }

  private func head(_ from: Party, _ to: Party, _ y: Double) -> HTML {
    SVG.use(share(from) < share(to) ? "right" : "left", x: center(to), y: y)
  }

  private func share(_ party: Party) -> Double {
    (Double(story.parties.firstIndex(of: party) ?? 0) + 0.5) / Double(story.parties.count)
  }

  private func center(_ party: Party) -> String { SVG.percent(share(party)) }

  /// The shapes that rows refer to; once a page.
  static let shapes = """
    <svg width="0" height="0" aria-hidden="true" class="shapes"><defs>
    <path id="right" d="M-4 0l-8-3.5v7z"/><path id="left" d="M4 0l8-3.5v7z"/>
    <rect id="bar" x="-3" y="-4" width="6" height="25" rx="2"/><circle id="dot" r="4"/>
    </defs></svg>

    """
}

extension Step {
  /// The data of a row for the page's script: its events, and its status if it opens.
  var data: (events: String, status: String?) {
    (events.map(String.init).joined(separator: " "), isFolded ? "\(answer.flatMap(Int.init) ?? 0)" : nil)
  }
}

extension TraceFailure {
  /// The error at its place: the code, its meaning, the message and the advice.
  var html: HTML {
    HTML(
      .p, class: "problem", HTML(.b, code), meaning.map { " – \($0)" }, HTML(.br), message,
      hint.map { HTML.list(HTML(.br), HTML(.span, class: "quiet", "→ \($0)")) })
  }
}

extension TraceOutput {
  mutating func write(_ html: HTML) throws(TraceError) { try write(html.text) }

  /// Writes the rows of a list. Those behind the first ones wait in templates, so many each.
  mutating func write<Row>(_ rows: [Row], atOnce: Int, _ html: (Row, Int) -> HTML) throws(TraceError) {
    var templates = 0
    for (index, row) in rows.enumerated() {
      if index > 0, index.isMultiple(of: atOnce) {
        let rest = rows.count - index
        try write(
          """
          <li class="more"><button data-more>Show \(min(rest, atOnce)) more of \(Amount.count(rest))</button></li>
          <template>
          """)
        templates += 1
      }
      try write(html(row, index))
    }
    try write(String(repeating: "</template>", count: templates))
  }
}
