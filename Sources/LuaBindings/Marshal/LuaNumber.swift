/// Writes numbers as people do.
enum LuaNumber {
  /// `2` for 2.0, `0.25` for 0.25.
  static func text(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? "\(number)"
  }
}
