/// A change of the limit.
package struct ConcurrencyChange: Sendable, Equatable {
  package enum Reason: String, Sendable {
    case starting, room, overloaded, latency, restored

    package var sentence: String {
      switch self {
      case .starting: "the limit of the server was not known yet"
      case .room: "the requests were answered well"
      case .overloaded: "the server refused requests, or did not answer in time"
      case .latency: "answers took longer, and no more of them came"
      case .restored: "fewer requests at a time took as long"
      }
    }
  }

  package var time: Double
  package var limit: Int
  package var reason: Reason
}

/// The turning points of the concurrency, at most `capacity` of them.
package struct ConcurrencyLog: Sendable {
  package static let capacity = 256

  /// In the order of time. Successive increases are one entry: the last of them.
  package private(set) var entries: [ConcurrencyChange] = []
  /// The limit before the first entry.
  package let first: Int
  package private(set) var highest: Int
  /// The number of decreases by reason.
  package private(set) var decreases: (overloaded: Int, latency: Int) = (0, 0)

  init(limit: Int) {
    first = limit
    highest = limit
    entries.reserveCapacity(Self.capacity)
  }

  mutating func append(_ change: ConcurrencyChange) {
    highest = max(highest, change.limit)
    switch change.reason {
    case .starting, .room:
      if let last = entries.indices.last, entries[last].reason == change.reason {
        entries[last] = change
        return
      }
    case .overloaded: decreases.overloaded += 1
    case .latency: decreases.latency += 1
    case .restored: break
    }
    if entries.count == Self.capacity { thin() }
    entries.append(change)
  }

  /// Leaves out every other pair of a decrease and the increases behind it.
  private mutating func thin() {
    var kept = 0
    for index in entries.indices where index / 2 % 2 == 0 {
      entries[kept] = entries[index]
      kept += 1
    }
    entries.removeLast(entries.count - kept)
  }
}
