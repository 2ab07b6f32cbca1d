import Core

/// Pieces of pictures in a page. Places across are percentages: a picture stretches, its letters do not.
package enum SVG {
  /// A number as an attribute has it: at most three places, no needless zeros.
  package static func number(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : "\(rounded)"
  }

  /// `12.5%` of a share between 0 and 1.
  package static func percent(_ share: Double) -> String { "\(number(share * 100))%" }

  package static func line(_ x1: String, _ y1: Double, _ x2: String, _ y2: Double, class name: String = "") -> String {
    "<line x1=\"\(x1)\" y1=\"\(number(y1))\" x2=\"\(x2)\" y2=\"\(number(y2))\"\(attribute(name))/>"
  }

  package static func rectangle(
    x: String, y: Double, width: String, height: Double, class name: String
  ) -> String {
    "<rect x=\"\(x)\" y=\"\(number(y))\" width=\"\(width)\" height=\"\(number(height))\"\(attribute(name))/>"
  }

  package enum Anchor: String { case start, middle, end }

  /// - Parameter shift: pixels to the right of `x`.
  package static func text(
    _ text: String, x: String, y: Double, anchor: Anchor = .start, shift: Double = 0, class name: String = ""
  ) -> String {
    let anchoring = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
    let shifting = shift == 0 ? "" : " dx=\"\(number(shift))\""
    return
      "<text x=\"\(x)\" y=\"\(number(y))\"\(anchoring)\(shifting)\(attribute(name))>\(HTMLText.escape(text))</text>"
  }

  private static func attribute(_ name: String) -> String { name.isEmpty ? "" : " class=\"\(name)\"" }
}
