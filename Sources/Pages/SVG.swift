/// Pieces of pictures in a page. Places across are percentages: a picture stretches, its letters do not.
package enum SVG {
  /// A number as an attribute has it: at most three places, no needless zeros.
  package static func number(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : "\(rounded)"
  }

  /// `12.5%` of a share between 0 and 1.
  package static func percent(_ share: Double) -> String { "\(number(share * 100))%" }

  package static func line(_ x1: String, _ y1: Double, _ x2: String, _ y2: Double, class name: String = "") -> HTML {
    HTML(.line, class: name, with: ["x1": x1, "y1": number(y1), "x2": x2, "y2": number(y2)])
  }

  /// A line from the top to the bottom.
  package static func upright(_ x: String) -> HTML {
    HTML(.line, with: ["x1": x, "y1": "0", "x2": x, "y2": "100%"])
  }

  package static func rectangle(
    x: String, y: Double, width: String, height: Double, class name: String
  ) -> HTML {
    HTML(.rect, class: name, with: ["x": x, "y": number(y), "width": width, "height": number(height)])
  }

  package enum Anchor: String { case start, middle, end }

  /// - Parameter shift: pixels to the right of `x`.
  package static func text(
    _ text: String, x: String, y: Double, anchor: Anchor = .start, shift: Double = 0, class name: String = ""
  ) -> HTML {
    HTML(
      .text, class: name,
      with: [
        "x": x, "y": number(y), "text-anchor": anchor == .start ? nil : anchor.rawValue,
        "dx": shift == 0 ? nil : number(shift),
      ], text)
  }

  /// A shape that is defined elsewhere on the page.
  package static func use(_ id: String, x: String, y: Double) -> HTML {
    HTML(.use, with: ["href": "#\(id)", "x": x, "y": number(y)])
  }
}
