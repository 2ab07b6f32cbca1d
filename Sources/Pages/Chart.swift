import Glibc

/// Values over time, as a picture that is as wide as there is room.
package struct Chart {
  package enum Shape: String { case area, line }

  package struct Series {
    var name: String
    var shape: Shape
    /// One of the colors of the style: `one` to `five`, `good` or `bad`.
    var color: String
    /// Each from a time to another one, in seconds.
    var values: [(from: Double, to: Double, value: Double)]

    package init(_ name: String, _ shape: Shape, color: String, _ values: [(from: Double, to: Double, value: Double)]) {
      self.name = name
      self.shape = shape
      self.color = color
      self.values = values
    }
  }

  private static let height = 150.0
  /// The picture's own measure across, which is stretched.
  private static let measure = 1000.0

  private let title: String
  private var series: [Series]
  /// Seconds.
  private let length: Double
  private let unit: @Sendable (Double) -> String

  package init(_ title: String, _ series: [Series], length: Double, unit: @escaping @Sendable (Double) -> String) {
    self.title = title
    self.series = series
    self.length = length
    self.unit = unit
  }

  /// The chart without the series that are zero all the time; nil where none is left.
  package var withoutNothing: Chart? {
    var chart = self
    chart.series.removeAll { $0.values.allSatisfy { $0.value == 0 } }
    return chart.series.isEmpty ? nil : chart
  }

  /// A figure with the picture and a legend.
  package var html: HTML {
    let vertical = Scale(upTo: series.flatMap { $0.values.map(\.value) }.max() ?? 1, most: 3)
    let horizontal = Scale(upTo: length, most: 6)
    let lines = vertical.marks.map { mark in
      let y = Self.height - vertical.share(mark) * Self.height
      return HTML.list(SVG.line("0", y, "100%", y, class: "grid"), SVG.text(unit(mark), x: "0", y: y - 3))
    }
    let times = horizontal.marks.map { mark in
      let share = horizontal.share(mark)
      let text =
        mark == 0 || mark >= 1 ? "\(SVG.number(mark))\(mark == 0 ? "" : " s")" : Amount.duration(Int(mark * 1e6))
      return SVG.text(text, x: SVG.percent(share), y: Self.height + 15, anchor: share > 0.95 ? .end : .start)
    }
    let shapes = series.compactMap { path($0, vertical, horizontal) }
    let most = series.map { "\($0.name) up to \(unit($0.values.map(\.value).max() ?? 0))" }.joined(separator: ", ")
    let legend = series.map { HTML(.li, HTML(.i, class: $0.color), $0.name) }
    let height = SVG.number(Self.height)
    let picture = HTML(
      .svg,
      with: [
        "width": "100%", "height": height, "viewBox": "0 0 \(SVG.number(Self.measure)) \(height)",
        "preserveAspectRatio": "none",
      ], shapes)
    let attributes: HTML.Attributes = [
      "height": SVG.number(Self.height + 20), "role": "img", "aria-label": "\(title): \(most)",
    ]
    return HTML(
      .figure, HTML(.figcaption, HTML(.b, title), HTML(.ul, class: "legend", legend)),
      HTML(.svg, class: "chart", with: attributes, picture, lines, times))
  }

  private func path(_ series: Series, _ vertical: Scale, _ horizontal: Scale) -> HTML? {
    guard let first = series.values.first, let last = series.values.last else { return nil }
    func place(_ time: Double, _ value: Double) -> String {
      let x = horizontal.share(time) * Self.measure
      return "\(SVG.number(x)) \(SVG.number(Self.height - vertical.share(value) * Self.height))"
    }
    var points = series.values.flatMap { [place($0.from, $0.value), place($0.to, $0.value)] }
    if series.shape == .area { points = [place(first.from, 0)] + points + [place(last.to, 0)] }
    return HTML(
      .path, class: "\(series.shape.rawValue) \(series.color)", with: ["d": "M\(points.joined(separator: "L"))"])
  }

  /// The style of charts, besides the style of all pages.
  package static let style = """
    figure { margin: 1rem 0 1.5rem; } figcaption { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-bottom: 1.1rem; }
    figure { break-inside: avoid; } .legend { display: flex; flex-wrap: wrap; gap: 0 .9rem; margin: 0; padding: 0;
      list-style: none; color: var(--quiet); font-size: .85rem; }
    .legend i { display: inline-block; width: .65rem; height: .65rem; margin-right: .35rem; border-radius: .15rem; }
    .chart path { vector-effect: non-scaling-stroke; } .chart text { paint-order: stroke; stroke: var(--paper);
      stroke-width: 6px; stroke-linejoin: round; }
    .line { fill: none; stroke-width: 1.75; stroke-linejoin: round; } .area { fill-opacity: .3; stroke-width: 1; }
    .one { fill: var(--one); stroke: var(--one); background: var(--one); }
    .two { fill: var(--two); stroke: var(--two); background: var(--two); }
    .three { fill: var(--three); stroke: var(--three); background: var(--three); }
    path.bad, i.bad { fill: var(--bad); stroke: var(--bad); background: var(--bad); } path.line { fill: none; }

    """
}

/// The marks of an axis, at round numbers.
package struct Scale {
  /// The highest value on it; above zero.
  private let end: Double
  private let step: Double

  /// - Parameter most: how many marks there is room for.
  package init(upTo value: Double, most: Int = 5) {
    end = value > 1e-9 && value.isFinite ? value : 1
    let rough = end / Double(max(most, 1))
    let power = pow(10, floor(log10(rough)))
    step = ([1, 2, 5, 10].first { $0 * power >= rough } ?? 10) * power
  }

  /// From zero on.
  package var marks: [Double] { (0...max(0, Int(end / step + 1e-9))).map { Double($0) * step } }

  /// How far along `value` is, from 0 to 1.
  package func share(_ value: Double) -> Double { min(1, max(0, value / end)) }
}
