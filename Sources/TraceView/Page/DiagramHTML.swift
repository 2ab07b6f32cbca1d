import Core
import PageStyle

/// The sequence diagram: a row for each step over the lifelines of the parties. Rows are as wide as there is room, and
/// each is a button; the lifelines run behind all of them.
struct DiagramHTML {
  /// Rows that are there from the start; the others wait in templates, so many each.
  private static let rowsAtOnce = 200
  /// Letters that fit side by side over the lifelines on a phone.
  private static let lettersAcross = 52.0

  let story: Story
  /// What its IDs begin with where there are two on a page.
  var prefix = ""
  /// Rows to be marked.
  var marked: Set<Int> = []

  /// - Parameter write: gets the HTML piece by piece.
  func write(_ write: (String) throws(TraceError) -> Void) throws(TraceError) {
    let lanes = story.parties.map { SVG.line(center($0), 0, center($0), 0).replacing("y2=\"0\"", with: "y2=\"100%\"") }
    let heads = story.parties.map { "<span>\($0.title)</span>" }.joined()
    try write(
      """
      <div class="diagram" data-trace="\(prefix)"><div class="heads" aria-hidden="true"><i></i><div>\(heads)</div></div>
      <div class="rows"><svg class="lanes" aria-hidden="true">\(lanes.joined())</svg>
      <ol aria-label="Sequence diagram">

      """)
    var open = 0
    for (index, step) in story.steps.enumerated() {
      if index > 0, index.isMultiple(of: Self.rowsAtOnce) {
        let rest = story.steps.count - index
        try write(
          """
          <li class="more"><button data-more>Show \(min(rest, Self.rowsAtOnce)) more of \(Amount.count(rest))</button></li>
          <template>
          """)
        open += 1
      }
      try write(row(step, index))
    }
    try write("\(String(repeating: "</template>", count: open))</ol></div></div>\n")
  }

  private func row(_ step: Step, _ index: Int) -> String {
    let place = step.line.map { "<span class=\"line\">\(HTMLText.escape($0))</span>" } ?? ""
    let isCall = step.kind == .call
    let side = share(step.from) < 0.4 ? " left" : share(step.from) > 0.6 ? " right" : ""
    let words = isTooLong(step) ? "<span class=\"words\(side)\">\(HTMLText.escape(step.label))</span>" : ""
    let events = step.dataAttributes + (isCall ? " data-call" : "")
    let problem = step.failure.map { ProblemHTML.text($0, class: "problem") } ?? ""
    let classes = [
      step.kind.rawValue, step.tone.rawValue, step.isFolded ? "folded" : "", marked.contains(index) ? "marked" : "",
    ]
    return """
      <li\(step.failure == nil ? "" : " id=\"\(prefix)row-\(index)\"") class="\(classes.filter { !$0.isEmpty }.joined(separator: " "))">\
      <button \(events) tabindex="\(index == 0 ? 0 : -1)" aria-label="\(HTMLText.escape(StepText.sentence(step)))">\
      <span class="at">\(StepText.time(step.at))</span>\
      <svg height="\(isCall ? 30 : step.kind == .exchange ? 46 : step.kind == .message ? 30 : 24)" aria-hidden="true">\
      \(picture(step))</svg>\(isCall ? place : words)</button>\(problem)</li>

      """
  }

  private func picture(_ step: Step) -> String {
    let label = step.label.clipped(to: Int(Self.lettersAcross))
    switch step.kind {
    case .note:
      let x = center(step.from)
      let isRight = share(step.from) > 0.5
      let dot = "<use href=\"#dot\" x=\"\(x)\" y=\"12\"/>"
      return isTooLong(step)
        ? dot
        : dot + SVG.text(label, x: x, y: 16, anchor: isRight ? .end : .start, shift: isRight ? -11 : 11)
    case .message, .call:
      return SVG.line(center(step.from), 22, center(step.to), 22, class: "go") + head(step.from, step.to, 22)
        + text(label, step, 16)
    case .exchange:
      let bar = "<use href=\"#bar\" x=\"\(center(step.to))\" y=\"22\"/>"
      let answer = [step.answer ?? "", step.took.map { Amount.duration($0) } ?? ""].filter { !$0.isEmpty }
      return SVG.line(center(step.from), 22, center(step.to), 22, class: "go")
        + SVG.line(center(step.to), 39, center(step.from), 39, class: "back") + bar
        + head(step.from, step.to, 22) + head(step.to, step.from, 39) + text(label, step, 16)
        + text(answer.joined(separator: " · ").clipped(to: Int(Self.lettersAcross)), step, 35, class: "answer")
    }
  }

  /// Whether a note does not fit beside its lifeline; then it stands below, where it may take several lines.
  private func isTooLong(_ step: Step) -> Bool {
    let room = max(share(step.from), 1 - share(step.from)) * Self.lettersAcross
    return step.kind == .note && Double(step.label.displayWidth) > room
  }

  /// A label between the two lifelines, or from where there is room to the edge.
  private func text(_ text: String, _ step: Step, _ y: Double, class name: String = "") -> String {
    let (one, other) = (min(share(step.from), share(step.to)), max(share(step.from), share(step.to)))
    let middle = (one + other) / 2
    if middle > 0.3, middle < 0.7 {
      return SVG.text(text, x: SVG.percent(middle), y: y, anchor: .middle, class: name)
    }
    return middle <= 0.3
      ? SVG.text(text, x: SVG.percent(one), y: y, shift: 8, class: name)
      : SVG.text(text, x: SVG.percent(other), y: y, anchor: .end, shift: -8, class: name)
  }

  private func head(_ from: Party, _ to: Party, _ y: Double) -> String {
    let id = share(from) < share(to) ? "right" : "left"
    return "<use href=\"#\(id)\" x=\"\(center(to))\" y=\"\(SVG.number(y))\"/>"
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
