import HostLoop

/// Rows that wait to be sent, and the workers that wait for rows.
@HostActor
final class RowQueue {
  private var rows: [QueuedRow] = []
  private var head = 0
  /// Rows that go before the others: they have waited already.
  private var returned: [QueuedRow] = []
  /// Rows that were put off, by their number, the timer that brings each back, and when.
  private var delayed: [Int: (row: QueuedRow, timer: TimerQueue.ID, end: Double)] = [:]
  /// The intake, when it waits until there are no more rows than this.
  private var intake: UnsafeContinuation<Void, Never>?
  private(set) var lowMark = 0
  private var waiting: [UnsafeContinuation<QueuedRow?, Never>] = []

  /// Rows that may be sent now.
  var count: Int { rows.count - head + returned.count }
  var isEmpty: Bool { count == 0 && delayed.isEmpty }
  var waitingCount: Int { waiting.count }

  /// The row that was put off and comes back first, and in how many seconds.
  var nextReturn: (row: QueuedRow, seconds: Double)? {
    delayed.values.min { $0.end < $1.end }.map { ($0.row, max(0, $0.end - HostLoop.uptime)) }
  }

  func append(_ new: [QueuedRow]) {
    // What has been taken goes when it is the larger part, so that each row is moved once at most.
    if head > rows.count / 2 {
      rows.removeFirst(head)
      head = 0
    }
    rows += new
  }

  func next() -> QueuedRow? {
    if let row = returned.popLast() { return row }
    guard head < rows.count else { return nil }
    defer { head += 1 }
    return rows[head]
  }

  /// Puts a row back, to be sent next.
  func putBack(_ row: QueuedRow) { returned.append(row) }

  /// Puts a row back after a while; `then` is called when it is there.
  func putBack(_ row: QueuedRow, after seconds: Double, then: @escaping @HostActor () -> Void) {
    let timer = HostLoop.shared.schedule(after: seconds) {
      self.delayed[row.number] = nil
      self.putBack(row)
      then()
    }
    delayed[row.number] = (row, timer, HostLoop.uptime + seconds)
  }

  // MARK: Intake

  /// Waits until no more than `mark` rows are left, or `askForMore` is called.
  func room(below mark: Int) async {
    guard count > mark else { return }
    lowMark = mark
    await withUnsafeContinuation { intake = $0 }
  }

  func askForMore() {
    let waiting = intake
    intake = nil
    waiting?.resume()
  }

  /// Takes out everything that is left.
  func drain() -> [QueuedRow] {
    for (_, timer, _) in delayed.values { HostLoop.shared.cancel(timer) }
    let left = Array(rows[head...]) + returned + delayed.values.map(\.row)
    rows = []
    head = 0
    returned = []
    delayed = [:]
    return left.sorted { $0.number < $1.number }
  }

  // MARK: Workers

  /// Waits until `hand` has a row for this worker; nil: there is nothing more to do.
  func wait() async -> QueuedRow? {
    await withUnsafeContinuation { waiting.append($0) }
  }

  /// Gives a waiting worker a row.
  func hand(_ row: QueuedRow) { waiting.removeLast().resume(returning: row) }

  /// Sends the waiting workers home.
  func dismiss() {
    let all = waiting
    waiting = []
    for worker in all { worker.resume(returning: nil) }
  }
}
