/// The servers of the tutorial's task API.
package enum TaskDialect: String, Sendable, CaseIterable {
  /// Tasks have a number, and the list has all of them.
  case dotnet
  /// Tasks have an `_id` and are addressed by owner, the list has the 20 oldest, and there are no idempotency keys.
  case node
}
