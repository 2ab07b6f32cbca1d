/// A wait that a server asks for, such as `Retry-After`, `interval` or `slow_down`, and the time that is left for it.
package struct Wait: Sendable, Equatable {
  /// The seconds that the server asks for.
  package let asked: Double
  /// The seconds that are left, or that anybody waits at most.
  package let deadline: Double

  /// - Parameter asked: the seconds that the server asks for; nil if it asks for none.
  package init(asked: Double?, deadline: Double) {
    self.asked = max(asked ?? 0, 0)
    self.deadline = max(deadline, 0)
  }

  /// The seconds to wait: those that the server asks for, and never more than are left.
  package var seconds: Double { min(asked, deadline) }
  /// True if the server wants the next request within the time that is left.
  package var fits: Bool { asked <= deadline }
  /// True if no time is left.
  package var isOver: Bool { deadline == 0 }
}
