/// A request that the tenant has seen.
package struct TenantRequest: Sendable, Equatable {
  package let method: String
  /// Without the query, which may hold secrets.
  package let path: String
  /// What was answered, or was about to be where the connection was dropped.
  package let status: Int
  /// When it was answered: seconds since 1970, by the tenant's clock.
  package let time: Int
}

/// The last requests.
struct RequestLog {
  private static let capacity = 1000
  private var entries: [TenantRequest] = []
  /// Where the oldest is, once it is full.
  private var next = 0
  /// How many there were in all.
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

  /// The last of those that `isIncluded` takes, the newest first.
  func newest(_ count: Int, where isIncluded: (TenantRequest) -> Bool) -> [TenantRequest] {
    Array(all.reversed().lazy.filter(isIncluded).prefix(count))
  }

  /// Oldest first.
  var all: [TenantRequest] { Array(entries[next...] + entries[..<next]) }
}
