extension FixedWidthInteger {
  /// The integer part of a number, or the nearest integer of this type; 0 for NaN. `init(_:)` traps for those numbers.
  package init(clamped number: Double) {
    self = number.isNaN ? 0 : Self(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
  }
}
