package import Core

/// A request whose signature does not hold.
package typealias WebhookError = DomainError<WebhookProblem>

/// The kinds of `WebhookError`.
package enum WebhookProblem: String, FailureKind {
  case noSignature = "no_signature"
  case badSignature = "bad_signature"
  case oldTimestamp = "old_timestamp"
  case futureTimestamp = "future_timestamp"
  case badHeader = "bad_header"
  case badSecret = "bad_secret"
}
