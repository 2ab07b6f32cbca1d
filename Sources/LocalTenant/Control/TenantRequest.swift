/// A request that the tenant has seen.
package struct TenantRequest: Sendable, Equatable {
  package let method: String
  /// The path without the query, because a query may hold secrets.
  package let path: String
  /// The status that was sent, or that was ready to be sent when the connection was dropped.
  package let status: Int
  /// The time of the response: seconds since 1970, by the tenant's clock.
  package let time: Int
}

/// The most recent requests.
struct RequestLog {
  private static let capacity = 1000
  private var entries: [TenantRequest] = []
  /// The index of the oldest entry, once the log is full.
  private var next = 0
  /// The number of requests since the start.
  private(set) var total = 0

  mutating func add(_ entry: TenantRequest) {
    total += 1
    if entries.count < Self.capacity {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % Self.capacity
    }
  }

  /// The most recent requests that match `isIncluded`, newest first.
  func newest(_ count: Int, where isIncluded: (TenantRequest) -> Bool) -> [TenantRequest] {
    Array(all.reversed().lazy.filter(isIncluded).prefix(count))
  }

  /// All entries, oldest first.
  var all: [TenantRequest] { Array(entries[next...] + entries[..<next]) }
}
