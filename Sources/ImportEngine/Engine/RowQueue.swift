import HostLoop

@HostActor
final class RowQueue {
  var sourceHasEnded = false
  var onRows: @HostActor () -> Void = {}
  private var rows: [QueuedRow] = []
  private var head = 0
  /// Rows that go before the others, because they have waited already. The last one goes first.
  private var returned: [QueuedRow] = []
  /// Postponed rows by their number, the timer that brings each back, and when.
  private var postponed: [Int: (row: QueuedRow, timer: TimerQueue.ID, end: Double)] = [:]
  /// The intake, when it waits until no more than `lowMark` rows are left.
  private var intake: UnsafeContinuation<Void, Never>?
  private var lowMark = 0
  /// Rows that wait for the tasks of their parents, by the parents' numbers.
  private var waiting: [Int: [QueuedRow]] = [:]
  private var waitingCount = 0
  private var workers: [UnsafeContinuation<[QueuedRow]?, Never>] = []

  var count: Int { rows.count - head + returned.count }
  var isEmpty: Bool { count == 0 && postponed.isEmpty }
  /// True if no more rows are to be read before parents are settled.
  var isCrowded: Bool { waitingCount >= Self.mostWaiting }
  private static let mostWaiting = 8192
  var hasWaitingWorkers: Bool { !workers.isEmpty }

  var nextReturn: (row: QueuedRow, seconds: Double)? {
    postponed.values.min { $0.end < $1.end }.map { ($0.row, max(0, $0.end - HostLoop.uptime)) }
  }

  func append(_ new: [QueuedRow]) {
    // Taken rows are removed once they are the larger part, so that each row is moved once at most.
    if head > rows.count / 2 {
      rows.removeFirst(head)
      head = 0
    }
    rows += new
    onRows()
  }

  /// Returns true if there is a row to send. Rows whose parents are not settled are put aside.
  func hasNext() -> Bool {
    while let row = returned.last ?? (head < rows.count ? rows[head] : nil) {
      guard row.waitsForParent(), let parent = row.parent.row else { return true }
      _ = take()
      waiting[parent.number, default: []].append(row)
      waitingCount += 1
    }
    return false
  }

  /// The next row to send; nil if there is none.
  func next() -> QueuedRow? { hasNext() ? take() : nil }

  /// A row is settled: those that wait for it go before the others.
  func release(waitingFor parent: Int) {
    guard waitingCount > 0, let rows = waiting.removeValue(forKey: parent) else { return }
    waitingCount -= rows.count
    requeue(rows)
  }

  private func take() -> QueuedRow? {
    if let row = returned.popLast() { return row }
    guard head < rows.count else { return nil }
    defer { head += 1 }
    return rows[head]
  }

  func requeue(_ rows: [QueuedRow]) {
    returned += rows.reversed()
    onRows()
  }

  func postpone(_ row: QueuedRow, seconds: Double) {
    let timer = HostLoop.shared.schedule(after: seconds) {
      self.postponed[row.number] = nil
      self.requeue([row])
    }
    postponed[row.number] = (row, timer, HostLoop.uptime + seconds)
  }

  func drain() -> [QueuedRow] {
    for (_, timer, _) in postponed.values { HostLoop.shared.cancel(timer) }
    let left = Array(rows[head...]) + returned + postponed.values.map(\.row) + waiting.values.joined()
    rows = []
    head = 0
    returned = []
    postponed = [:]
    waiting = [:]
    waitingCount = 0
    return left.sorted { $0.number < $1.number }
  }

  /// Waits until no more than `mark` rows are left, or `wakeIntake` is called.
  func waitForRoom(below mark: Int) async {
    guard count > mark else { return }
    lowMark = mark
    await withUnsafeContinuation { intake = $0 }
  }

  func wakeIntakeIfLow() { if count <= lowMark { wakeIntake() } }

  func wakeIntake() {
    let waiting = intake
    intake = nil
    waiting?.resume()
  }

  /// Waits for the rows of a request; nil means that there is nothing more to do.
  func waitForRows() async -> [QueuedRow]? { await withUnsafeContinuation { workers.append($0) } }

  func hand(_ rows: [QueuedRow]) { workers.removeLast().resume(returning: rows) }

  func dismissWorkers() {
    let all = workers
    workers = []
    for worker in all { worker.resume(returning: nil) }
  }
}
