import Databases
import JobConditions

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

extension PostgresError {
  /// True if nothing can be stored until the server, or somebody who cares for it, has done something.
  var isOutage: Bool {
    switch kind {
    case .unreachable, .refused, .readOnly, .diskFull, .ended: true
    default: false
    }
  }
}
