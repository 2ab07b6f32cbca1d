import Core

/// Handlers of an event threw. The operation that caused the event was carried out all the same.
package struct HandlerFailures: Failure {
  /// In the order of subscription; never empty.
  package let errors: [any Error]
  /// The failure the handlers were told of; nil when they were told of a change.
  package let cause: (any Error)?

  package var code: String { (errors.first as? any Failure)?.code ?? "handler_failed" }
  package var hint: String? { (errors.first as? any Failure)?.hint }
  package var message: String {
    let event = cause == nil ? "on_changed" : "on_failed"
    let all = errors.map { String(describing: $0) }.joined(separator: "; ")
    let told = cause.map { ", told of this failure: \($0)" } ?? ""
    return "\(errors.count == 1 ? "a handler" : "\(errors.count) handlers") of \(event) failed: \(all)\(told)"
  }
}
