import Databases

/// Why the store cannot be used.
struct StoreTrouble {
  /// The absence of the database.
  var outage = Outage()
  /// The time in which turns fail for another reason, such as a broken disk.
  var standstill = Outage()
  /// The time in which a proof fails that the store takes changes, while no turn needs one.
  var refusal = Outage()
  var isNone: Bool { outage.error == nil && standstill.error == nil }
}

/// The time in which the store cannot be used.
struct Outage {
  /// The first error; nil while the store can be used.
  private(set) var error: (any Error)?
  private var tries = 0

  /// Returns true for the first error.
  mutating func begin(_ error: any Error) -> Bool {
    tries += 1
    guard self.error == nil else { return false }
    self.error = error
    return true
  }

  /// Returns true if there was an outage.
  mutating func end() -> Bool {
    tries = 0
    defer { error = nil }
    return error != nil
  }

  /// The seconds until the next try: longer and longer.
  var pause: Double { min(5, 0.5 * Double(tries)) }
}

extension PostgresError {
  /// True if nothing can be stored until the server, or somebody who cares for it, has done something.
  var isOutage: Bool {
    switch kind {
    case .unreachable, .refused, .readOnly, .diskFull, .ended: true
    default: false
    }
  }
}
