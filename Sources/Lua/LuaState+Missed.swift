import Core
import HostLoop

/// A name that the API does not have, and that a script looked for last.
struct MissedName {
  /// The module or the kind of object: `b2c.tasks`, `account`.
  let owner: String
  let name: String
  /// The names that the owner has.
  let known: [String]
}

extension LuaState {
  /// Notes that a script looked for a name that the API does not have, which is an error only where it is called.
  func miss(_ name: String, in owner: String, _ known: [String]) {
    missed = MissedName(owner: owner, name: name, known: known)
  }

  /// The hint for "attempt to call a nil value (field 'ad')": the name that may have been meant. Nil where the error
  /// is about something else.
  func hint(forError message: String) -> String? {
    guard let missed, message.hasPrefix("attempt to "),
      message.hasSuffix("nil value (field '\(missed.name)')")
        || message.hasSuffix("nil value (method '\(missed.name)')")
        || message.hasSuffix("nil value (global '\(missed.name)')")
    else { return nil }
    if let near = nearestName(to: missed.name, in: missed.known) {
      return "\(missed.owner) has no '\(missed.name)'; did you mean '\(near)'?"
    }
    return "\(missed.owner) has no '\(missed.name)'; it has \(missed.known.sorted().joined(separator: ", "))"
  }
}
