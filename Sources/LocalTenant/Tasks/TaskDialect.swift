/// The servers of the tutorial's task API.
package enum TaskDialect: String, Sendable, CaseIterable {
  /// Tasks have a number, and the list has all tasks.
  case dotnet
  /// Tasks have an `_id` and are addressed by owner. The list has the 20 oldest tasks. Idempotency keys are ignored.
  case node
}
