import Glibc

/// The marks of an axis, at round numbers.
package struct Scale {
  /// The highest value on it; above zero.
  package let end: Double
  /// Between two marks.
  package let step: Double

  /// Values that are smaller are nothing.
  private static let least = 1e-9

  /// - Parameter most: how many marks there is room for.
  package init(upTo value: Double, most: Int = 5) {
    end = value > Self.least && value.isFinite ? value : 1
    let rough = end / Double(max(most, 1))
    let power = pow(10, floor(log10(rough)))
    step = ([1, 2, 5, 10].first { $0 * power >= rough } ?? 10) * power
  }

  /// From zero on.
  package var marks: [Double] { (0...max(0, Int(end / step + 1e-9))).map { Double($0) * step } }

  /// How far along `value` is, from 0 to 1.
  package func share(_ value: Double) -> Double { min(1, max(0, value / end)) }
}
