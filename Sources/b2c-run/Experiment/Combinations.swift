/// The combinations of the values that `--vary` names.
struct Combinations {
  static let most = 200

  /// In the order of the command line.
  let varied: [(name: String, values: [String])]

  init(_ varied: [(name: String, values: [String])]) { self.varied = varied }

  /// The number of combinations; more than an integer can say counts as the largest one.
  var count: Int {
    varied.reduce(1) { count, option in
      let (product, overflows) = count.multipliedReportingOverflow(by: option.values.count)
      return overflows ? .max : product
    }
  }

  /// The values of a combination. The last name changes fastest; number 0 has the first value of each.
  subscript(number: Int) -> [String] {
    var rest = number
    return varied.reversed().map { option in
      defer { rest /= option.values.count }
      return option.values[rest % option.values.count]
    }.reversed()
  }

  /// The numbers of `size` combinations, spread over all of them, the same each time and the first one in front.
  func sample(_ size: Int) -> [Int] {
    let count = count
    guard size < count else { return Array(0..<count) }
    // A step without a common divisor meets each combination once, and each value of each option soon.
    var step = max(1, Int(Double(count) * 0.618))
    while Self.commonDivisor(step, count) > 1 { step += 1 }
    var number = 0
    return (0..<size).map { _ in
      defer { number = Int((UInt64(number) + UInt64(step)) % UInt64(count)) }
      return number
    }
  }

  private static func commonDivisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : commonDivisor(other, one % other)
  }
}
