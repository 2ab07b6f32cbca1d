package import JSON

/// A task in the tenant's database.
package struct TenantTask: Sendable {
  package let id: Int64
  /// `oid` of the user, or the ID of an application.
  package let owner: String
  package let text: String
  package let isCompleted: Bool
  /// The time of the last change in seconds since 1970, by the tenant's clock.
  let time: Int

  /// The further fields by the names of the API: `Notes`, `Due`, …
  package var fields: [String: JSON] = [:]
  /// The number of changes.
  var version: Int64 = 0

  /// RFC 3339, UTC.
  package var modified: String { TenantClock.date(time) }

  /// Another value after each change.
  var entityTag: String { "\"\(id)-\(version)\"" }
}

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
  /// The digits of the code.
  package let code: String
  /// RFC 3339, UTC.
  package let time: String

  /// `SMS to +15550100: code 123456`
  package var text: String { "\(kind.rawValue) to \(to): code \(code)" }
}

/// A request that the tenant has seen.
package struct TenantRequest: Sendable, Equatable {
  package let method: String
  /// The path without the query, because a query may hold secrets.
  package let path: String
  /// The status that was sent, or that was ready to be sent when the connection was dropped.
  package let status: Int
  /// The time of the response: seconds since 1970, by the tenant's clock.
  package let time: Int

  package init(method: String, path: String, status: Int, time: Int) {
    self.method = method
    self.path = path
    self.status = status
    self.time = time
  }
}

/// The last thousand entries.
struct RecentEntries<Entry> {
  private static var capacity: Int { 1000 }
  private var entries: [Entry] = []
  /// The index of the oldest entry, once there are a thousand.
  private var next = 0
  private(set) var total = 0

  mutating func add(_ entry: Entry) {
    total += 1
    if entries.count < Self.capacity {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % Self.capacity
    }
  }

  /// All entries, oldest first.
  var all: [Entry] { Array(entries[next...] + entries[..<next]) }
}

/// Keeps and reports the messages that a real tenant would send. It sends nothing.
final class PostOffice {
  private(set) var outbox = RecentEntries<TenantMessage>()
  private let clock: TenantClock
  private let report: (@Sendable (TenantMessage) -> Void)?

  init(_ clock: TenantClock, report: (@Sendable (TenantMessage) -> Void)?) {
    self.clock = clock
    self.report = report
  }

  func send(_ kind: TenantMessage.Kind, to: String, username: String, code: String) {
    let message = TenantMessage(
      kind: kind, to: to, username: username, code: code, time: TenantClock.date(clock.now))
    outbox.add(message)
    report?(message)
  }
}
