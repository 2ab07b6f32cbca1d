/// A note about the place of the user's account store.
package enum StoreNote: Sendable, Equatable {
  case moved(from: String, to: String)
  /// Another store is in the folder of earlier versions.
  case another(String, used: String)
  /// The store could not be moved, and is used where it is.
  case staysPut(String, instead: String, reason: String)

  /// True if the person has something to do.
  package var isWarning: Bool { if case .another = self { true } else { false } }

  package var sentence: String {
    switch self {
    case .moved(let old, let new): "the accounts were moved from \(old) to \(new)"
    case .another(let old, let used):
      "the accounts are those in \(used); \(old) has an account store, too, which is not used: "
        + "--store \(old) uses it, and to be rid of it remove \(old)/accounts.sqlite"
    case .staysPut(let old, let new, let reason): "the accounts are still in \(old), and not in \(new): \(reason)"
    }
  }
}
