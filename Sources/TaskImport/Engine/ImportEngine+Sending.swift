import Core
import HTTPClient
import HostLoop
import TaskAPI

extension ImportEngine {
  /// Takes rows and sends them, one after the other, until there are none or the import stops.
  func work() async {
    while let row = await turn() {
      do { try await send(row) } catch { stop(error) }
      busy -= 1
      admit()
    }
  }

  // MARK: Who may send

  /// The next row, as soon as one may be sent; nil when there is nothing more to do in this round.
  private func turn() async -> QueuedRow? {
    if let row = take() { return row }
    return isRoundDone ? nil : await queue.wait()
  }

  /// Whether nothing is to be sent, under way or on its way back.
  private var isRoundDone: Bool {
    busy == 0 && (stopReason != nil || mustSettle || (intakeHasEnded && queue.isEmpty))
  }

  /// Gives waiting workers rows, as far as they may be sent, and lets the intake go on when there are few left.
  func admit() {
    if isRoundDone { return queue.dismiss() }
    while queue.waitingCount > 0, let row = take() { queue.hand(row) }
    if queue.count <= queue.lowMark { queue.askForMore() }
  }

  private func take() -> QueuedRow? {
    guard stopReason == nil, !mustSettle, queue.count > 0, inFlight < window.limit, admission == nil else { return nil }
    let time = now
    if time < heldUntil { return admit(after: heldUntil - time) }
    if !hasSlot {
      let delay = limiter.delay(at: time)
      hasSlot = true
      if delay > 0 { return admit(after: delay) }
    }
    guard breaker.admits(at: time) else {
      if case .open(let until) = breaker.state { return admit(after: until - time) }
      return nil
    }
    hasSlot = false
    inFlight += 1
    busy += 1
    return queue.next()
  }

  /// Nothing is sent until then.
  private func admit(after seconds: Double) -> QueuedRow? {
    admission = HostLoop.shared.schedule(after: seconds) {
      self.admission = nil
      self.admit()
    }
    return nil
  }

  // MARK: One row

  private func send(_ row: QueuedRow) async throws {
    let start = now
    wait = nil
    do {
      let added = try await add(row)
      inFlight -= 1
      succeeded(row, added, since: start)
      if !doubtful.isEmpty { try await settleDoubtful() }
    } catch {
      inFlight -= 1
      row.lastError = error
      row.attempts += 1
      try await failed(row, error, since: start)
    }
  }

  private func add(_ row: QueuedRow) async throws -> AddedTask {
    guard row.attempts > 0 else { return try await client.add(row.draft, idempotencyKey: key(of: row)) }
    return try await RetryNumber.$current.withValue(row.attempts) {
      try await client.add(row.draft, idempotencyKey: key(of: row))
    }
  }

  private func succeeded(_ row: QueuedRow, _ added: AddedTask, since start: Double) {
    let time = now
    statistics.requestEnded(latency: time - start, status: added.status, at: time)
    window.succeeded(latency: time - start, at: time, inFlight: inFlight + 1)
    breaker.succeeded()
    pauseRequests.succeeded(begun: start)
    unclearAnswers = 0
    renewals.count = 0
    if honorsKeys == nil { learn(from: added) }
    if row.isOnTrial {
      row.isConfirmed = true
      unknown.append(row)
    } else {
      report.added += 1
      settle(row.journalRow, .added { added.id })
    }
  }

  private func failed(_ row: QueuedRow, _ error: any Error, since start: Double) async throws {
    let time = now
    let status = (error as? any Failure)?.status ?? 0
    statistics.requestEnded(latency: time - start, status: status, at: time)
    switch Verdict(error) {
    case .stop:
      queue.putBack(row)
      stop(.stopped(by: error, at: row.record))
    case .refused where isStillAtIt(row, error):
      putOff(row, error, after: nil)
    case .refused:
      breaker.succeeded()
      try await fail(row, error)
    case .doubtful:
      doubt(row, error)
    case .renew:
      renew(row, error, since: start)
    case .again(let wait):
      try await putOff(row, error, since: start, at: time, retryAfter: wait)
    case .unknown(let wait):
      row.isUnknown = true
      trouble(row, error, since: start, at: time, retryAfter: wait)
      putOffOrLookUp(row, error, at: time, after: wait)
    case .unclear(let mayComeLater):
      row.isUnknown = true
      if mayComeLater { row.mayComeLater = true }
      breaker.succeeded()
      // A row that is sent again with its key tells nothing about other rows.
      if row.attempts == 1 { unclearAnswers += 1 }
      putOffOrLookUp(row, error, at: time, after: nil)
      if mustSettle { queue.askForMore() }
    }
    if breaker.state == .givenUp { stop(.stopped(by: error, at: row.record)) }
  }

  /// Whether the list has to tell about rows before another is sent: nothing but unclear answers has come of late.
  var mustSettle: Bool { unclearAnswers >= mostUnclear }

  private func doubt(_ row: QueuedRow, _ error: any Error) {
    doubtful.append((row, error))
    if doubtful.count >= Self.mostDoubtful { stop(.stopped(by: error, at: row.record)) }
  }

  /// The row was not taken, and may be later.
  private func putOff(
    _ row: QueuedRow, _ error: any Error, since start: Double, at time: Double, retryAfter wait: Double?
  ) async throws {
    trouble(row, error, since: start, at: time, retryAfter: wait)
    if let wait, wait > Self.longestRetryAfter {
      parked.append((row, error))
    } else if row.attempts >= Self.mostAttempts, !row.isUnknown, (error as? any Failure)?.status != nil {
      try await fail(row, error)
    } else {
      putOff(row, error, after: wait)
    }
  }

  /// With a key, the row can be sent again; otherwise the list has to tell.
  private func putOffOrLookUp(_ row: QueuedRow, _ error: any Error, at time: Double, after wait: Double?) {
    if honorsKeys == true, row.attempts <= options.retries, wait ?? 0 <= Self.longestRetryAfter {
      putOff(row, error, after: wait)
    } else {
      unknown.append(row)
      lastUnknown = time
    }
  }

  /// A token that was just renewed is refused: a server may know the new key, or the time, a moment later. All rows wait,
  /// and a request tries another token.
  private func renew(_ row: QueuedRow, _ error: any Error, since start: Double) {
    // Requests that were under way when it was first refused tell nothing new.
    if start >= renewals.heldAt {
      renewals = (renewals.count + 1, now)
      guard renewals.count <= options.retries else {
        queue.putBack(row)
        return stop(.stopped(by: error, at: row.record, after: options.retries))
      }
      heldUntil = max(heldUntil, now + renewalDelay(renewals.count))
      noteWait(until: heldUntil, .tokenRefused)
    }
    // Others have got through: this row has something about itself.
    guard row.attempts <= 2 * options.retries + 1 else { return doubt(row, error) }
    putOff(row, error, after: max(0, heldUntil - now))
  }

  /// Seconds before another token is tried.
  func renewalDelay(_ number: Int) -> Double {
    min(options.longestDelay, 4 * options.firstDelay * Double(1 << min(number - 1, 20)))
  }

  /// Tells those who watch how the server bears up.
  private func trouble(_ row: QueuedRow, _ error: any Error, since start: Double, at time: Double, retryAfter: Double?)
  {
    let isAnswer = (error as? any Failure)?.status != nil
    var hold: Double?
    if let retryAfter {
      let isLast = sourceHasEnded && queue.isEmpty && busy == 1 && unknown.isEmpty
      let isAboutAll = isLast || (error as? TaskAPIError)?.isAboutAllRequests ?? true
      hold = pauseRequests.asked(row: row.number, seconds: retryAfter, isAboutAll: isAboutAll, at: time)
    }
    window.overloaded(latency: time - start, at: time)
    breaker.failed(
      isAnswer ? .server : .unreachable, latency: time - start, at: time, retryAfter: hold.map { max(0, $0 - time) })
    if let hold, hold - time > Self.longestRetryAfter {
      stop(.stopped(by: error, at: row.record))
    } else if let hold, hold > heldUntil {
      heldUntil = hold
      noteWait(until: heldUntil, .asked(status: (error as? any Failure)?.status ?? 0))
    } else if case .open(let until) = breaker.state, until > wait?.until ?? 0 {
      noteWait(until: until, isAnswer ? .failing : .unreachable)
    }
  }

  /// The row comes back by itself.
  private func putOff(_ row: QueuedRow, _ error: any Error, after wait: Double?) {
    report.retried += 1
    onRetry?(row.number, row.attempts, error)
    statistics.retried(code: (error as? any Failure)?.code ?? "unknown")
    // Behind the wait that the server asked for, they do not all come at once.
    let delay = backoff.delay(attempt: row.attempts, using: &generator)
    queue.putBack(row, after: (wait ?? 0) + delay) { self.admit() }
  }

  // MARK: Idempotency keys

  /// The same in each run, for the same text.
  private func key(of row: QueuedRow) -> String? {
    guard honorsKeys != false else { return nil }
    return "\(journal.keyStem(of: row.number))-\(String(row.textHash, radix: 16))"
  }

  /// Whether the server takes keys, as far as one can tell by an answer to a request with one.
  private func learn(from added: AddedTask) {
    honorsKeys = added.honorsIdempotencyKey
    journal.setHonorsIdempotencyKey(added.honorsIdempotencyKey)
  }

  /// A key that comes again while the server is still at its first request is a conflict
  /// (draft-ietf-httpapi-idempotency-key-header, 2.7), which passes.
  private func isStillAtIt(_ row: QueuedRow, _ error: any Error) -> Bool {
    row.isUnknown && honorsKeys == true && (error as? any Failure)?.status == 409 && row.attempts <= options.retries
  }
}

extension ImportEngine {
  /// Longer waits than this end the import rather than look like a hang.
  static let longestRetryAfter = 300.0
  /// A row that the server cannot take this often while others get through has something about itself.
  private static let mostAttempts = 20
  /// So many rows that fail alike, without a success between them, are the server's fault or that of the settings.
  private static let mostDoubtful = 10
  /// So many unclear answers, with no success between them, are looked into before more rows are sent.
  static let firstMostUnclear = 10
}

extension Error where Self == ImportError {
  /// The import cannot go on at `row`. What it has done by then is added when the last requests have been answered.
  /// - Parameter renewals: how often another token was tried in vain; 0 where that is not why.
  static func stopped(by cause: any Error, at row: SourceRecord, after renewals: Int = 0) -> ImportError {
    let failure = cause as? any Failure
    let place = row.line.map { " (line \($0))" } ?? ""
    let tokens = renewals > 0 ? ", with \(counted(renewals, "further renewed token")) too" : ""
    return ImportError(
      kind: .stopped,
      message: "the import stopped at row \(row.number)\(place): \(failure?.message ?? String(describing: cause))"
        + tokens,
      hint: failure?.hint, line: row.line, status: failure?.status, isRetryable: failure?.isRetryable ?? false,
      details: (failure?.details ?? [:]).merging(["cause": failure?.code ?? "unknown"]) { _, cause in cause })
  }
}
