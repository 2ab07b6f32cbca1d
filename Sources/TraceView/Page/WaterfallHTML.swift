import Core
import Pages
import Trace

struct WaterfallHTML {
  private static let rowsAtOnce = 150
  /// The number of pieces of time in which many requests are counted.
  private static let pieces = 80
  /// The share of the width that a label takes on a phone.
  private static let labelShare = 0.3

  let story: Story
  let length: Int

  private var requests: [Step] { story.steps.filter { !$0.spans.isEmpty } }

  func write(to file: inout TraceOutput) throws(TraceError) {
    let requests = requests
    guard !requests.isEmpty else { return try file.write(HTML(.p, class: "quiet", "There are no requests in it.")) }
    let scale = Scale(upTo: Double(length))
    let marks = scale.marks.map { mark in
      let text = mark == 0 ? "0" : Amount.duration(Int(mark))
      let share = scale.share(mark)
      return SVG.text(text, x: SVG.percent(share), y: 12, anchor: share > 0.8 ? .end : .start)
    }
    let grid = scale.marks.map { mark in SVG.upright(SVG.percent(scale.share(mark))) }
    let legend = HTML(
      .ul, class: "legend", with: ["aria-label": "Phases"], Step.phaseNames.map { HTML(.li, HTML(.i, class: $0), $0) })
    let axis = HTML(
      .div, class: "axis", with: ["aria-hidden": "true"], HTML(.i), HTML(.svg, with: ["height": "16"], marks))
    try file.write(
      """
      \(legend.text)
      <div class="waterfall">\(axis.text)
      <div class="rows">\(HTML(.svg, class: "lanes", with: ["aria-hidden": "true"], grid).text)<ol aria-label="Waterfall">

      """)
    try file.write(requests, atOnce: Self.rowsAtOnce) { row($0, isFirst: $1 == 0, scale) }
    try file.write("</ol></div></div>\n")
  }

  private func row(_ step: Step, isFirst: Bool, _ scale: Scale) -> HTML {
    let bars = step.isFolded ? many(step, scale) : one(step, scale)
    let data = step.data
    let button = HTML(
      .button,
      with: [
        "data-e": data.events, "data-s": data.status, "aria-expanded": data.status.map { _ in "false" },
        "tabindex": isFirst ? "0" : "-1", "aria-label": step.sentence,
      ], HTML(.span, class: "name", step.label), HTML(.svg, with: ["height": "22", "aria-hidden": "true"], bars))
    return .list(HTML(.li, class: step.tone.rawValue, button), "\n")
  }

  private func one(_ step: Step, _ scale: Scale) -> [HTML] {
    let total = step.took ?? 0
    var bars = [bar(step.at, total, scale, "whole")]
    var at = step.at
    for phase in step.phases where phase.took > 0 {
      bars.append(bar(at, phase.took, scale, phase.name))
      at += phase.took
    }
    let (start, end) = (scale.share(Double(step.at)), scale.share(Double(step.end)))
    let text = "\(step.answer ?? "") \(Amount.duration(total))"
    if end < 1 - Self.labelShare { return bars + [SVG.text(text, x: SVG.percent(end), y: 15, shift: 5)] }
    // In front of the bar; of a long one, on it.
    let place = SVG.percent(start > Self.labelShare ? start : end)
    return bars + [SVG.text(text, x: place, y: 15, anchor: .end, shift: -5)]
  }

  private func bar(_ at: Int, _ took: Int, _ scale: Scale, _ name: String) -> HTML {
    let start = scale.share(Double(at))
    let width = max(scale.share(Double(at + took)) - start, 0.0005)
    return SVG.rectangle(x: SVG.percent(start), y: 6, width: SVG.percent(width), height: 10, class: name)
  }

  /// The number of requests under way, piece by piece.
  private func many(_ step: Step, _ scale: Scale) -> [HTML] {
    var underWay = [Double](repeating: 0, count: Self.pieces)
    let length = max(Double(step.took ?? 0), 1)
    for span in step.spans {
      let first = Int(Double(span.at - step.at) / length * Double(Self.pieces))
      let last = Int(Double(span.at + span.took - step.at) / length * Double(Self.pieces))
      for piece in max(0, min(first, Self.pieces - 1))...max(0, min(last, Self.pieces - 1)) { underWay[piece] += 1 }
    }
    let most = max(underWay.max() ?? 1, 1)
    let start = scale.share(Double(step.at))
    let width = max(scale.share(Double(step.end)) - start, 0.004)
    return underWay.enumerated().filter { $0.element > 0 }.map { piece, number in
      let height = max(1, number / most * 20)
      return SVG.rectangle(
        x: SVG.percent(start + width * Double(piece) / Double(Self.pieces)), y: 21 - height,
        width: SVG.percent(width / Double(Self.pieces)), height: height, class: "many")
    }
  }
}
