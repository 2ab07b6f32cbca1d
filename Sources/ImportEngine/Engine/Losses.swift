/// The rows whose fields are lost, by the field and the cause.
package struct Losses: Sendable, Equatable {
  /// The party that loses a field.
  package enum Cause: Int, Sendable, CaseIterable {
    /// The source: its value has no meaning, as a time zone that nobody knows, or a parent that is not there.
    case source
    /// The service, which has no such field. This is known before a row is sent.
    case service
    /// The server: its answers do not have the field as it was sent.
    case server
  }

  /// The rows that lose a field for one cause.
  package struct Entry: Sendable, Equatable {
    package let field: String
    package let cause: Cause
    package fileprivate(set) var rows: Int
    /// The reason of the first row; nil if the cause says all.
    package let reason: String?
    /// True if other rows have other reasons.
    package fileprivate(set) var hasOtherReasons = false
  }

  private struct Key: Hashable {
    let field: String
    let cause: Cause
  }

  private var byKey: [Key: Entry] = [:]

  package init() {}

  package var isEmpty: Bool { byKey.isEmpty }

  /// Sorted by field, the source first.
  package var entries: [Entry] {
    byKey.values.sorted { ($0.field, $0.cause.rawValue) < ($1.field, $1.cause.rawValue) }
  }

  /// The rows by the field.
  package var rows: [String: Int] {
    byKey.values.reduce(into: [:]) { rows, entry in rows[entry.field, default: 0] += entry.rows }
  }

  /// Counts a row, which loses each field once: the first cause counts.
  /// - Parameters:
  ///   - unread: the fields that the source loses, with the reasons.
  ///   - unkept: the fields that the service has not.
  ///   - changed: the fields that the server's answer does not have as sent.
  mutating func note(unread: [String: String], unkept: [String], changed: [String]) {
    for (field, reason) in unread { add(Entry(field: field, cause: .source, rows: 1, reason: reason)) }
    let atService = Set(unkept).subtracting(unread.keys)
    for field in atService { add(Entry(field: field, cause: .service, rows: 1, reason: nil)) }
    for field in Set(changed).subtracting(unread.keys).subtracting(atService) {
      add(Entry(field: field, cause: .server, rows: 1, reason: nil))
    }
  }

  package mutating func add(_ other: Losses) { for entry in other.entries { add(entry) } }

  private mutating func add(_ entry: Entry) {
    let key = Key(field: entry.field, cause: entry.cause)
    guard var known = byKey[key] else {
      byKey[key] = entry
      return
    }
    known.rows += entry.rows
    known.hasOtherReasons = known.hasOtherReasons || entry.hasOtherReasons || known.reason != entry.reason
    byKey[key] = known
  }
}
