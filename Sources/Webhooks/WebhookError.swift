import Core

/// A request whose signature does not hold.
package struct WebhookError: Failure, Equatable {
  package enum Kind: String, Sendable {
    case noSignature = "no_signature"
    case badSignature = "bad_signature"
    case oldTimestamp = "old_timestamp"
    case futureTimestamp = "future_timestamp"
    case badHeader = "bad_header"
    case badSecret = "bad_secret"
  }

  package let kind: Kind
  package let message: String
  package var code: String { kind.rawValue }

  package let hint: String?

  init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }
}
