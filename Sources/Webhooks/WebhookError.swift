import Core

/// A request whose signature does not hold.
package struct WebhookError: Failure, Equatable {
  package enum Kind: String, Sendable {
    case noSignature = "no_signature"
    case badSignature = "bad_signature"
    case oldTimestamp = "old_timestamp"
    case futureTimestamp = "future_timestamp"
    case badHeader = "bad_header"
  }

  package let kind: Kind
  package let message: String
  package var code: String { kind.rawValue }

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
