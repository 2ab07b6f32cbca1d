import HostLoop
import Lua
import LuaKit

/// Which tests are run.
package struct TestSelection: Sendable {
  /// A part of the names of the tests, in upper or lower case.
  package var filter: String?
  /// The name of one test: its own, or with those of its groups.
  package var only: String?
  /// True if no test is run after one that fails.
  package var endsAtFailure = false

  package init() {}

  func contains(_ names: [String]) -> Bool {
    let whole = names.joined(separator: " ")
    if let filter, !whole.lowercased().contains(filter.lowercased()) { return false }
    return only.map { [names.last, whole, names.joined(separator: " › ")].contains($0) } ?? true
  }

  /// The error where no test is chosen; nil where all are.
  func refusal(_ count: Int) -> LuaError? {
    if let only {
      return .usage("test: none of the \(count) tests has the name '\(only)'", hint: "--list prints the names")
    }
    return filter.map { .usage("test: none of the \(count) tests has '\($0)' in its name") }
  }
}
