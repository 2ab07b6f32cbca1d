import Core
import HTTPClient
import HostLoop
import TaskAPI

/// Sends rows, several at a time, and decides by each answer what happens to its row.
@HostActor
final class Dispatcher {
  let gate: Gate
  /// True if the intake of this round still reads rows.
  var mayGetRows = false
  private let service: any TaskService
  private let state: RunState
  private let ledger: RowLedger
  private let settlement: Settlement
  private let backoff: Backoff
  private let editor: TaskEditor
  /// The number of requests whose rows workers have taken and are not done with.
  private var busy = 0
  /// The number of refusals in a row of tokens that were just renewed, and the start of the last wait for that.
  private var renewals = (count: 0, heldAt: -Double.infinity)
  /// Rows that failed since the last success, perhaps because of the server.
  private var doubtful: [(row: QueuedRow, error: any Error)] = []
  /// Rows that have to wait for longer than an import waits.
  private var parked: [(row: QueuedRow, error: any Error)] = []

  /// A row that the server cannot take this often while it takes others is itself the problem.
  private static let mostAttempts = 20
  /// If so many rows fail alike, without a success between them, the server or the settings are the problem.
  private static let mostDoubtful = 10

  init(_ service: any TaskService, _ state: RunState, _ ledger: RowLedger, _ settlement: Settlement) {
    self.service = service
    self.state = state
    self.ledger = ledger
    self.settlement = settlement
    editor = TaskEditor(service)
    gate = Gate(state)
    backoff = Backoff(first: state.options.delays.first, longest: state.options.delays.longest)
    gate.onOpen = { [weak self] in self?.admit() }
    ledger.queue.onRows = { [weak self] in self?.admit() }
    state.onStop = { [weak self] in
      self?.ledger.queue.wakeIntake()
      self?.admit()
    }
  }

  func work() async {
    while let rows = await nextRows() {
      do { try await send(rows) } catch { state.stop(error) }
      busy -= 1
      admit()
    }
  }

  private func nextRows() async -> [QueuedRow]? {
    if let rows = takeRows() { return rows }
    return isRoundDone ? nil : await ledger.queue.waitForRows()
  }

  private var isRoundDone: Bool {
    busy == 0 && (state.isStopping || settlement.isDue || (!mayGetRows && ledger.queue.isEmpty))
  }

  /// Gives waiting workers rows, as far as rows may be sent, and wakes the intake if few rows are left.
  func admit() {
    // Rows that wait for parents do not keep the round from its end: the settlement may have the parents.
    _ = ledger.queue.hasNext()
    if isRoundDone { return ledger.queue.dismissWorkers() }
    while ledger.queue.hasWaitingWorkers, let rows = takeRows() { ledger.queue.hand(rows) }
    ledger.queue.wakeIntakeIfLow()
  }

  /// The rows of the next request, which is then under way.
  private func takeRows() -> [QueuedRow]? {
    guard !state.isStopping, !settlement.isDue, ledger.queue.hasNext(), gate.admit(), let first = ledger.queue.next()
    else { return nil }
    busy += 1
    var rows = [first]
    while rows.count < service.batchSize, let row = ledger.queue.next() {
      gate.admitAlong()
      rows.append(row)
    }
    return rows
  }

  private func send(_ rows: [QueuedRow]) async throws {
    let start = state.now
    state.endWait()
    for row in rows where row.parent.loss != nil && row.attempts == 0 { ledger.tellLostParent(row) }
    if state.options.isStrict {
      for row in rows {
        guard let problem = ledger.lossBeforeSending(row.draft, row.record, service) else { continue }
        state.stop(problem)
        gate.withdraw()
        return ledger.queue.requeue(rows)
      }
    }
    let results = await add(rows)
    let time = state.now
    gate.leave(since: start, status: results.lazy.map(\.status).first { $0 >= 400 } ?? results[0].status, at: time)
    var (hasSucceeded, hasFailed) = (false, false)
    let areAllToWait = rows.count > 1 && results.allSatisfy(\.asksToWait)
    var problem: (any Error)?
    // Each row is recorded, whatever becomes of the others of its request.
    for (row, result) in zip(rows, results) {
      do {
        let failure: any Error
        switch result {
        case .success(let added):
          guard let doubt = ledger.doubt(about: row, added) else {
            succeeded(row, added, since: start, tellsGate: !hasSucceeded)
            hasSucceeded = true
            continue
          }
          failure = doubt
        case .failure(let error): failure = error
        }
        row.lastError = failure
        row.attempts += 1
        try await failed(row, failure, since: start, at: time, tellsGate: !hasFailed, isAll: areAllToWait)
        hasFailed = true
      } catch { problem = problem ?? error }
    }
    if let problem { throw problem }
    if hasSucceeded, !doubtful.isEmpty { try await settleDoubtful() }
  }

  private func add(_ rows: [QueuedRow]) async -> [Result<AddedTask, any Error>] {
    if rows.contains(where: { $0.draft.edit != nil }) { return await perform(rows) }
    guard service.batchSize == 1, !rows[0].isUnknown else {
      return await service.add(rows.map { KeyedDraft($0.draft, key: ledger.keys.key(of: $0), isAgain: $0.isUnknown) })
    }
    let row = rows[0]
    let key = ledger.keys.key(of: row)
    do {
      guard row.attempts > 0 else { return [.success(try await service.add(row.draft, idempotencyKey: key))] }
      return try await RequestScope.retrying(after: row.attempts) {
        [.success(try await service.add(row.draft, idempotencyKey: key))]
      }
    } catch { return [.failure(error)] }
  }

  /// Carries out edits, one after the other. New tasks that are among them wait for the next request.
  private func perform(_ rows: [QueuedRow]) async -> [Result<AddedTask, any Error>] {
    var results: [Result<AddedTask, any Error>] = []
    for row in rows {
      guard let edit = row.draft.edit else {
        results += await add([row])
        continue
      }
      do {
        results.append(
          .success(
            try await RequestScope.retrying(after: row.attempts) {
              try await editor.perform(row.draft, edit, isAgain: row.isUnknown)
            }))
      } catch { results.append(.failure(error)) }
    }
    return results
  }

  /// - Parameter tellsGate: true for the first row of its request that was added.
  private func succeeded(_ row: QueuedRow, _ added: AddedTask, since start: Double, tellsGate: Bool) {
    if tellsGate { gate.succeeded(since: start, at: state.now) }
    renewals.count = 0
    if row.draft.edit == nil { ledger.keys.learn(from: added) }
    settlement.noteSuccess()
    ledger.noteLost(row, added)
    if row.search.isOnTrial {
      row.search.isConfirmed = true
      settlement.add(row)
    } else {
      ledger.added(row, added.reference)
    }
  }

  /// - Parameters:
  ///   - tellsGate: true for the first row of its request that was not added.
  ///   - isAll: true if all rows of the request are to wait.
  private func failed(
    _ row: QueuedRow, _ error: any Error, since start: Double, at time: Double, tellsGate: Bool, isAll: Bool
  ) async throws {
    let isLast = isAll || self.isLast
    let status = error.status
    switch Verdict(error) {
    case .stop:
      if (error as? any Failure)?.details["fate"] == "unknown" { row.isUnknown = true }
      stop(at: row, error)
    case .refused where isStillAtIt(row, status): postpone(row, error)
    case .refused:
      gate.answered()
      try await fail(row, error)
    case .doubtful: doubt(row, error)
    case .renew: renew(row, error, since: start)
    case .again(let wait):
      if tellsGate { gate.failed(row, error, since: start, at: time, after: wait, isLast: isLast) }
      if !state.options.wait(wait).fits {
        parked.append((row, error))
      } else if row.attempts >= Self.mostAttempts, !row.isUnknown, status != nil {
        try await fail(row, error)
      } else {
        postpone(row, error, after: wait)
      }
    case .unknown(let wait):
      row.isUnknown = true
      if tellsGate { gate.failed(row, error, since: start, at: time, after: wait, isLast: isLast) }
      postponeOrLookUp(row, error, at: time, after: wait)
    case .unclear(let mayComeLater):
      row.isUnknown = true
      if mayComeLater { row.mayComeLater = true }
      gate.answered()
      // A row that is sent again with its key says nothing about other rows.
      if row.attempts == 1 { settlement.noteUnclear() }
      postponeOrLookUp(row, error, at: time)
      if settlement.isDue { ledger.queue.wakeIntake() }
      if settlement.isHopeless { state.stop(.stopped(by: error, at: row.record)) }
    }
    if gate.breaker.state == .givenUp { state.stop(.stopped(by: error, at: row.record)) }
  }

  private var isLast: Bool { ledger.queue.sourceHasEnded && ledger.queue.isEmpty && busy == 1 && settlement.isEmpty }

  /// True if the server still works on an earlier request with the row's key: then it answers "conflict"
  /// (draft-ietf-httpapi-idempotency-key-header, 2.7) for a while.
  private func isStillAtIt(_ row: QueuedRow, _ status: Int?) -> Bool {
    row.isUnknown && ledger.keys.areHonored == true && status == 409 && row.attempts <= state.options.retries
  }

  private func stop(at row: QueuedRow, _ error: any Error, after renewals: Int = 0) {
    state.stop(.stopped(by: error, at: row.record, after: renewals))
    ledger.queue.requeue([row])
  }

  private func doubt(_ row: QueuedRow, _ error: any Error) {
    doubtful.append((row, error))
    if doubtful.count >= Self.mostDoubtful { state.stop(.stopped(by: error, at: row.record)) }
  }

  /// With a key, the row can be sent again, and so can an edit; otherwise the list of tasks, or the service, has to tell.
  private func postponeOrLookUp(_ row: QueuedRow, _ error: any Error, at time: Double, after wait: Double? = nil) {
    let asked = state.options.wait(wait)
    let hasKey = ledger.keys.areHonored == true && settlement.finder == nil
    if asked.fits, row.draft.edit != nil || hasKey && row.attempts <= state.options.retries {
      postpone(row, error, after: wait)
    } else {
      settlement.add(row, at: time + (settlement.finder == nil ? 0 : asked.seconds))
    }
  }

  private func postpone(_ row: QueuedRow, _ error: any Error, after wait: Double? = nil) {
    ledger.report.retried += 1
    state.emit(.retry(row: row.number, attempt: row.attempts, error: error))
    state.statistics.retried(code: error.failureCode)
    // After the wait that the server asked for, the rows do not all come at once.
    ledger.queue.postpone(row, seconds: (wait ?? 0) + backoff.delay(attempt: row.attempts))
  }

  /// The server refused a token that was just renewed: it may learn of the new key, or of the time, a moment later. All
  /// rows wait, and a request tries another token.
  private func renew(_ row: QueuedRow, _ error: any Error, since start: Double) {
    let options = state.options
    // Requests that were under way at the first refusal tell nothing new.
    if start >= renewals.heldAt {
      renewals = (renewals.count + 1, state.now)
      guard renewals.count <= options.retries else { return stop(at: row, error, after: options.retries) }
      gate.hold(until: state.now + options.renewalDelay(renewals.count), .tokenRefused)
    }
    // The server takes other rows: this row is the problem.
    guard row.attempts <= 2 * options.retries + 1 else { return doubt(row, error) }
    postpone(row, error, after: max(0, gate.heldUntil - state.now))
  }

  /// Fails a refused row, or looks it up if the unknown fate of an earlier request may be the reason.
  private func fail(_ row: QueuedRow, _ error: any Error) async throws {
    if row.isUnknown, row.draft.edit == nil {
      settlement.add(row, at: state.now)
    } else {
      try await ledger.fail(row, error)
    }
  }

  /// Fails the doubtful rows once another row was added or all are done; stops the import if no row was ever added.
  func settleDoubtful() async throws {
    guard !state.isStopping, let last = doubtful.last else { return }
    guard ledger.report.addedNow > 0 || state.serverTakesRows else {
      return state.stop(.stopped(by: last.error, at: last.row.record))
    }
    let rows = doubtful
    doubtful = []
    for (row, error) in rows { try await fail(row, error) }
  }

  /// Stops the import at a row that has to wait for too long, after the other rows are done.
  func stopForParked() { if let (row, error) = parked.first { state.stop(.stopped(by: error, at: row.record)) } }

  func drain() -> [QueuedRow] { doubtful.map(\.row) + parked.map(\.row) }
}
