/// The limit was changed.
package struct ConcurrencyChange: Sendable, Equatable {
  package enum Reason: String, Sendable {
    /// Doubled each round trip, as the server's capacity is not known yet.
    case starting
    /// The requests were answered well: one more.
    case room
    /// The server refused requests, or did not answer in time.
    case overloaded
    /// Answers took longer, and no more of them came.
    case latency
    /// Fewer at a time were no faster: back to what it was.
    case restored
  }

  /// Seconds since the import began.
  package var time: Double
  /// The limit from then on.
  package var limit: Int
  package var reason: Reason

  package init(time: Double, limit: Int, reason: Reason) {
    self.time = time
    self.limit = limit
    self.reason = reason
  }
}

/// The turning points of the concurrency, at most `capacity` of them.
package struct ConcurrencyLog: Sendable, Equatable {
  package static let capacity = 256

  /// In the order of time. Increases that follow each other are one entry: where they ended.
  package private(set) var entries: [ConcurrencyChange] = []
  /// The limit before the first of them.
  package let first: Int
  /// The highest limit that there was.
  package private(set) var highest: Int
  /// How often the limit was lowered, by why.
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

  package static func == (left: ConcurrencyLog, right: ConcurrencyLog) -> Bool {
    left.entries == right.entries && left.first == right.first && left.highest == right.highest
      && left.decreases == right.decreases
  }
}
