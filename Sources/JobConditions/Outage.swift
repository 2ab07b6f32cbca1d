/// The time in which the store cannot be used.
package struct Outage {
  /// The first error; nil while the store can be used.
  package private(set) var error: (any Error)?
  private var tries = 0

  package init() {}

  /// Returns true for the first error.
  package mutating func begin(_ error: any Error) -> Bool {
    tries += 1
    guard self.error == nil else { return false }
    self.error = error
    return true
  }

  /// Returns true if there was an outage.
  package mutating func end() -> Bool {
    tries = 0
    defer { error = nil }
    return error != nil
  }

  /// The seconds until the next try: longer and longer.
  package var pause: Double { min(5, 0.5 * Double(tries)) }
}
