/// A parameter of a host function, or a key of an options table.
package struct Parameter: Sendable {
  package let name: String
  package let type: LuaType
  package let isOptional: Bool
  package let doc: String
  /// The numbers that it takes, where it takes numbers. NaN is none of them.
  package let range: ClosedRange<Double>
  /// The form of the option on a command line; nil for an option that only scripts have.
  package private(set) var flag: Flag?

  /// The form of an option on the command line of a script that passes its options to the function.
  package struct Flag: Sendable {
    /// `--rate ROWS`
    package let spelling: String
    /// The words of `--help`.
    package let doc: String
    /// The words that stand for booleans.
    package let words: KeyValuePairs<String, Bool>
    /// True if the option may be given several times; its texts are then joined with commas.
    package let isMany: Bool
  }

  package init(
    _ name: String, _ type: LuaType, optional isOptional: Bool = false, in range: ClosedRange<Double> = Self.exact,
    _ doc: String = ""
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.range = range
    self.doc = doc
  }

  /// The same option, which a command line may have, too.
  package func flag(
    _ spelling: String, _ doc: String, words: KeyValuePairs<String, Bool> = [:], isMany: Bool = false
  ) -> Parameter {
    var parameter = self
    parameter.flag = Flag(spelling: spelling, doc: doc, words: words, isMany: isMany)
    return parameter
  }

  /// The whole numbers of which each is a float, too: with these, sums and seconds in other units stay within `Int`.
  package static let exact = -0x1p53...0x1p53
  /// Every number there is.
  package static let anyNumber = -Double.infinity...Double.infinity
  /// Zero and more, without an end.
  package static let anyTime = 0...Double.infinity

  /// No token, password or key is longer, in bytes.
  private static let longestSecret = 1 << 20

  /// The problem with a number or the length of a secret; nil for one that fits, and for any other value.
  package func problem(with value: LuaValue) -> String? {
    if type.isSecret, case .bytes(let bytes) = value, bytes.count > Self.longestSecret {
      return "expected \(type.phrase) of at most \(Self.longestSecret >> 20) MiB, got \(bytes.count) bytes"
    }
    guard type.takesNumbers, let number = value.number, !range.contains(number) else { return nil }
    return "expected \(type.phrase)\(rangeText), got \(value.integer.map { "\($0)" } ?? "\(number)")"
  }

  /// ` from 1 to 10`, ` of at least 1`; nothing where every number fits.
  private var rangeText: String {
    switch (range.lowerBound, range.upperBound) {
    case (-.infinity, .infinity): ""
    case (let lowest, .infinity): " of at least \(Self.text(lowest))"
    case (let lowest, let highest): " from \(Self.text(lowest)) to \(Self.text(highest))"
    }
  }

  private static func text(_ number: Double) -> String {
    if abs(number) == 0x1p53 { return number < 0 ? "-2^53" : "2^53" }
    return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  /// A parameter that takes everything, nothing included.
  package static func any(_ name: String, _ doc: String = "") -> Parameter {
    Parameter(name, .any, optional: true, doc)
  }

  /// A last table of options; an unknown key is an error that names the nearest known one.
  package static func options(_ keys: [Parameter], required: Bool = false, _ doc: String = "") -> Parameter {
    Parameter("options", .options(keys), optional: !required, doc)
  }
}
