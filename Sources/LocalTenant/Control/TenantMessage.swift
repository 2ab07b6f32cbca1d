/// A message that a real tenant would have sent to a user's phone or mailbox.
package struct TenantMessage: Sendable, Equatable {
  package enum Kind: String, Sendable {
    case sms = "SMS"
    case mail
  }

  package let kind: Kind
  /// The phone number or the mail address.
  package let to: String
  package let username: String
  /// The six digits of the code.
  package let code: String
  /// RFC 3339, UTC.
  package let time: String

  /// `SMS to +15550100: code 123456`
  package var text: String { "\(kind.rawValue) to \(to): code \(code)" }
}

/// The most recent messages.
struct Outbox {
  private static let capacity = 1000
  private(set) var messages: [TenantMessage] = []

  mutating func add(_ message: TenantMessage) {
    if messages.count == Self.capacity { messages.removeFirst() }
    messages.append(message)
  }
}
