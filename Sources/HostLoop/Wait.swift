/// A wait that a server asks for, such as `Retry-After`, `interval` or `slow_down`, and the time that is left for it.
///
/// All waits for servers are computed here: a server may ask for any number.
package struct Wait: Sendable, Equatable {
  /// The seconds before the next request: those that the server asks for, or more.
  package let asked: Double
  /// The seconds that are left, or that anybody waits at most.
  package let deadline: Double

  /// The longest wait of anybody, in seconds: a month.
  package static let longest = 31.0 * 86400

  /// - Parameters:
  ///   - asked: the seconds that the server asks for; nil if it asks for none.
  ///   - least: the seconds that the client waits without being asked.
  package init(asked: Double?, least: Double = 0, deadline: Double = longest) {
    let asked = asked.flatMap { $0.isNaN ? nil : $0 }
    self.asked = max(asked ?? 0, least, 0)
    self.deadline = max(deadline, 0)
  }

  /// The seconds to wait: those that the server asks for, and never more than are left.
  package var seconds: Double { min(asked, deadline) }
  /// True if the server wants the next request within the time that is left.
  package var fits: Bool { asked <= deadline }
  /// True if no time is left.
  package var isOver: Bool { deadline == 0 }
}
