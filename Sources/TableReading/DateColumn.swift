/// The order of the dates of a column, judged by all of its values: `13/10/2026` decides for the others.
package struct DateColumn: Sendable, Equatable {
  package enum Judgment: Sendable, Equatable {
    /// No value needs an order.
    case needless
    case decided(DateOrder)
    /// Each date can be read in both orders; an example.
    case undecided(String)
    /// Some dates are possible in one order only, some in the other; an example of each, with its line.
    case mixed(dayFirst: String, monthFirst: String)
  }

  private var dayFirst: String?
  private var monthFirst: String?
  private var ambiguous: String?
  /// The values that are dates, and the other ones that are not empty.
  package private(set) var dates = 0
  package private(set) var others = 0

  package init() {}

  /// - Parameter line: the line of the value in its file, for the examples.
  package mutating func add(_ value: some StringProtocol, line: Int? = nil) {
    guard value.contains(where: { !$0.isWhitespace }) else { return }
    guard let date = DateText(value) else {
      others += 1
      return
    }
    dates += 1
    func example() -> String { line.map { "\(value) (line \($0))" } ?? String(value) }
    switch date.order {
    case .dayFirst?: dayFirst = dayFirst ?? example()
    case .monthFirst?: monthFirst = monthFirst ?? example()
    case nil: if ambiguous == nil, date.isAmbiguous { ambiguous = String(value) }
    }
  }

  package var judgment: Judgment {
    switch (dayFirst, monthFirst) {
    case (let dayFirst?, let monthFirst?): .mixed(dayFirst: dayFirst, monthFirst: monthFirst)
    case (_?, nil): .decided(.dayFirst)
    case (nil, _?): .decided(.monthFirst)
    case (nil, nil): ambiguous.map { .undecided($0) } ?? .needless
    }
  }
}
