/// Actions ordered by the time they are due: a binary heap in which a removed timer stays, empty, until its time.
package struct TimerQueue {
  /// Names a timer; never used twice.
  package struct ID: Hashable, Sendable {
    let number: UInt64
  }

  private struct Entry {
    let time: Double
    let id: ID
  }

  private var heap: [Entry] = []
  private var actions: [ID: @HostActor () -> Void] = [:]
  private var lastNumber: UInt64 = 0

  mutating func add(at time: Double, _ action: @escaping @HostActor () -> Void) -> ID {
    lastNumber += 1
    let id = ID(number: lastNumber)
    actions[id] = action
    heap.append(Entry(time: time, id: id))
    siftUp(heap.count - 1)
    return id
  }

  mutating func remove(_ id: ID) {
    actions[id] = nil
    // Timeouts are mostly removed long before they are due: sweep when the heap holds more dead entries than live.
    if heap.count > 64, heap.count > 2 * actions.count {
      let live = heap.filter { actions[$0.id] != nil }
      heap = []
      for entry in live {
        heap.append(entry)
        siftUp(heap.count - 1)
      }
    }
  }

  /// Removes and returns the earliest action due at `time`; nil without one. One at a time: it may cancel the next one.
  mutating func next(dueAt time: Double) -> (@HostActor () -> Void)? {
    while let first = heap.first, first.time <= time {
      removeFirst()
      if let action = actions.removeValue(forKey: first.id) { return action }
    }
    return nil
  }

  var isEmpty: Bool { heap.isEmpty }

  /// The time of the next timer; nil without one.
  var nextTime: Double? {
    mutating get {
      while let first = heap.first, actions[first.id] == nil { removeFirst() }
      return heap.first?.time
    }
  }

  /// The time until the next timer, rounded up; nil without a timer.
  var millisecondsToNext: Int32? {
    guard let first = heap.first else { return nil }
    return Int32(min(max(0, (first.time - HostLoop.uptime) * 1000).rounded(.up), 3_600_000))
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return }
      let right = left + 1
      let child = right < heap.count && precedes(right, left) ? right : left
      guard precedes(child, parent) else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(child, parent) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Equal times keep the order in which they were added.
  private func precedes(_ a: Int, _ b: Int) -> Bool {
    (heap[a].time, heap[a].id.number) < (heap[b].time, heap[b].id.number)
  }
}
