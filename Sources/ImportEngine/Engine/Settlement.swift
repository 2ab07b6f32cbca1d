import Core
import HostLoop
import ImportFormats
import Pages
import TaskAPI

/// Finds out by the list of tasks what happened to rows of unknown fate.
@HostActor
final class Settlement {
  private let service: any TaskService
  /// Finds the tasks of rows where the server honors no keys; see `ImportEngine.find`.
  var findsRows: ImportEngine.FindRows?
  /// Finds the tasks of rows, if the service or the rows' own values can tell; nil if the texts in the list of tasks have to.
  var finder: ImportEngine.FindRows? {
    guard ledger.keys.areHonored == true else { return findsRows }
    guard let finder = service as? any TaskFinder, finder.findsByKey else { return nil }
    return { try await finder.find($0) }
  }
  let state: RunState
  let ledger: RowLedger
  var rows: [QueuedRow] = []
  /// The end of the last request without an answer, in seconds since the start.
  private var lastUnknown = 0.0
  /// The unclear answers since the last confirmed task.
  private var unclearAnswers = 0
  /// After so many unclear answers, nothing is sent until the list has told about their rows.
  private var mostUnclear = 10
  /// The number of missing rows that are sent again before the list has proven to be complete.
  private var trialSize = 1

  private static let mostRows = 256
  /// A row that was sent so often and is still missing is itself the problem.
  static let mostMisses = 3

  init(_ service: any TaskService, _ state: RunState, _ ledger: RowLedger) {
    self.service = service
    self.state = state
    self.ledger = ledger
  }

  var count: Int { rows.count }
  var isEmpty: Bool { rows.isEmpty }
  var isFull: Bool { rows.count >= Self.mostRows }
  /// True if the list has to tell about rows before another row is sent.
  var isDue: Bool { state.options.sharing != .sending && unclearAnswers >= mostUnclear }
  /// True if the server confirms nothing, while the list cannot tell either.
  var isHopeless: Bool { state.options.sharing == .sending && unclearAnswers >= mostUnclear }

  /// - Parameter time: the end of the request that left the fate unknown, or of the wait that the service asked for; nil for a
  ///   row of an earlier run.
  func add(_ row: QueuedRow, at time: Double? = nil) {
    guard state.options.sharing != .sending else { return ledger.leaveUnknown(row) }
    rows.append(row)
    if let time { lastUnknown = max(lastUnknown, time) }
  }

  func noteUnclear() { unclearAnswers += 1 }
  func noteSuccess() { unclearAnswers = 0 }

  func drain() -> Int {
    defer { rows = [] }
    return rows.count
  }

  /// Reads the list before anything is sent, to tell new tasks from old ones. Returns hashes of values of `dedupe`.
  func takeCensus() async throws -> Set<UInt64> {
    let options = state.options
    let needsBaseline =
      ledger.keys.areHonored != true && ledger.earlier == nil && !options.isDryRun && options.sharing == .alone
    guard needsBaseline || options.dedupe != nil, !state.isStopping else { return [] }
    let census: TaskCensus
    do {
      census = try await ask { try await TaskCensus.all(self.service, dedupe: options.dedupe) }
    } catch let error as TaskAPIError where options.dedupe == nil && Verdict(error).meansNoList {
      state.emit(
        .notice("the list of tasks cannot be read, so that a row whose answer gets lost stays unsettled: \(error)"))
      return []
    } catch { throw error.ofListing }
    guard needsBaseline else { return census.values }
    if census.isCut {
      state.emit(
        .notice(
          "the server shows \(census.total) tasks and may have more: a row whose answer gets lost stays unsettled"))
    } else {
      try await ledger.history.setBaseline(total: census.total, counts: census.counts)
    }
    return census.values
  }

  func settle() async throws {
    rows.sort { $0.number < $1.number }
    let (wasDue, last) = (isDue, rows.last { $0.lastError != nil })
    unclearAnswers = 0
    state.phase = .settling
    // The service may have asked for a pause, too.
    let end = max(lastUnknown + state.options.delays.settling, state.wait?.until ?? 0)
    await state.pause(seconds: end - state.now)
    guard !state.isStopping else { return }
    try await ledger.journal.flush()
    let hasFound =
      if let finder { try await lookUp(by: finder, mustStopUnlessFound: wasDue) } else {
        try await judge(mustStopUnlessFound: wasDue)
      }
    guard wasDue, !state.isStopping, let last, let error = last.lastError else { return }
    // If some were found, the server adds tasks and does not say so.
    if hasFound { mostUnclear = Self.mostRows } else { state.stop(.stopped(by: error, at: last.record)) }
  }

  /// Returns true if some of the rows were added. Without them, the import stops if `mustStopUnlessFound` is true.
  private func judge(mustStopUnlessFound: Bool) async throws -> Bool {
    guard ledger.history.hasBaseline else { return try await leaveUnsettledWithoutBaseline() }
    let counts = rows.reduce(into: [UInt64: Int]()) { $0[$1.sentHash, default: 0] += 1 }
    let hashes = Set(counts.keys)
    let census: TaskCensus
    do {
      census = try await ask { try await TaskCensus.counting(hashes, self.service) }
    } catch let error as TaskAPIError where Verdict(error).meansNoList {
      try await leaveUnsettled(because: "the list of tasks cannot be read: \(error.message)")
      return false
    } catch { throw error.ofListing }
    guard !state.isStopping else { return false }
    guard let known = try await ledger.history.knownTasks(of: hashes) else {
      return try await leaveUnsettledWithoutBaseline()
    }
    var evidence = ListEvidence(census, known, rows: counts)
    // The import is about to stop: the next run looks again.
    if mustStopUnlessFound, evidence.needsProof { return false }
    let absent = try await apply(&evidence, try await tasks(counts, census, known))
    if absent.contains(where: \.search.isConfirmed) {
      for row in absent {
        try await ledger.leaveUnsettled(
          row,
          because: row.search.isConfirmed
            ? "it was sent twice, the second time was confirmed, and the list does not show it"
            : "the list does not show a task that was confirmed, so that a missing one proves nothing")
      }
      return true
    }
    try await sendAgain(absent, listed: census.total)
    return evidence.hasFound
  }

  /// The tasks of rows that other rows may name as their parents, by the hashes of texts that one row and one task have.
  private func tasks(
    _ counts: [UInt64: Int], _ census: TaskCensus, _ known: KnownTasks
  ) async throws -> [UInt64: TaskReference] {
    let named = rows.filter { $0.draft.sourceID != nil }.map(\.sentHash)
    let sought = Set(named.filter { counts[$0] == 1 && census.counts[$0] == 1 && known.before[$0] == nil })
    guard !sought.isEmpty else { return [:] }
    return try await ask { try await TaskCensus.tasks(of: sought, self.service) }
  }

  /// Records the rows that were added or stay unsettled. Returns the others, which are not on the server.
  private func apply(
    _ evidence: inout ListEvidence, _ tasks: [UInt64: TaskReference]
  ) async throws -> [QueuedRow] {
    let judged = rows
    rows = []
    var absent: [QueuedRow] = []
    for row in judged {
      switch evidence.fate(of: row.sentHash, mayComeLater: row.mayComeLater, isConfirmed: row.search.isConfirmed) {
      case .added: ledger.added(row, tasks[row.sentHash])
      case .unsettled(let reason): try await ledger.leaveUnsettled(row, because: reason)
      case .absent: absent.append(row)
      }
    }
    return absent
  }

  /// Sends missing rows again. The list may have been cut off just before them. Once it has shown more tasks than
  /// before, it was not cut off; until then few rows are sent, and the others wait.
  private func sendAgain(_ absent: [QueuedRow], listed total: Int) async throws {
    var proven: [QueuedRow] = []
    var unproven: [QueuedRow] = []
    for row in absent {
      let isProven = row.search.missedAt.map { total > $0 } ?? false
      if row.search.timesMissed < Self.mostMisses {
        if isProven { proven.append(row) } else { unproven.append(row) }
        row.search.missedAt = row.search.missedAt ?? total
      } else if let error = row.lastError, isProven || error.status != nil {
        try await ledger.fail(row, error)
      } else {
        try await ledger.leaveUnsettled(row, because: "the list has never had it, however often it was sent")
      }
    }
    unproven.sort { ($0.search.timesMissed, $0.number) < ($1.search.timesMissed, $1.number) }
    let sent = proven.isEmpty ? Array(unproven.prefix(trialSize)) : proven
    rows = proven.isEmpty ? Array(unproven.dropFirst(sent.count)) : unproven
    trialSize = proven.isEmpty ? min(2 * trialSize, Self.mostRows) : 1
    for row in sent {
      row.search.timesMissed += 1
      row.search.missedAt = nil
      row.search.isOnTrial = proven.isEmpty
      ledger.absent(row)
    }
    try await ledger.requeue(sent)
  }

  private func leaveUnsettledWithoutBaseline() async throws -> Bool {
    try await leaveUnsettled(because: "the tasks there were before the import are not known")
    return false
  }

  func leaveUnsettled(because reason: String) async throws {
    let left = rows
    rows = []
    for row in left { try await ledger.leaveUnsettled(row, because: reason) }
  }

  /// Asks until there is an answer, the import stops, or the patience is over.
  func ask<Answer: Sendable>(_ question: @escaping @HostActor () async throws -> Answer) async throws -> Answer {
    let options = state.options
    var patience = CircuitBreaker(options, threshold: 1)
    var renewals = 0
    var hasTold = false
    while true {
      let start = state.now
      do {
        let answer = try await state.untilStop(question)
        state.endWait()
        return answer
      } catch {
        guard !state.isStopping else { throw error }
        switch Verdict(error) {
        case .again(let after), .unknown(let after):
          guard options.wait(after).fits else { throw error }
          patience.failed(
            error.status == nil ? .unreachable : .server, latency: state.now - start, at: state.now, retryAfter: after)
          guard case .open(let until) = patience.state else { throw error }
          state.beginWait(until: until, WaitReason(error))
          if !hasTold { tellPatience(error) }
          hasTold = true
          await state.pause(seconds: until - state.now)
          _ = patience.admits(at: max(state.now, until))
        case .renew:
          renewals += 1
          guard renewals <= options.retries else { throw error }
          state.beginWait(until: state.now + options.renewalDelay(renewals), .tokenRefused)
          await state.pause(seconds: options.renewalDelay(renewals))
        case .refused, .doubtful, .unclear, .stop: throw error
        }
        guard !state.isStopping else { throw error }
      }
    }
  }

  private func tellPatience(_ error: any Error) {
    let patience = state.options.patience
    state.emit(
      .notice(
        "\(error.sentence); trying again for up to \(Amount.shortTime(patience < 1 ? patience : patience.rounded())) "
          + "(wait = 0, --wait 0: not at all)"))
  }
}

extension Error {
  /// The error that the list of tasks could not be read because of this one.
  var ofListing: any Error {
    guard let cause = self as? any Failure, !(cause is ImportError) else { return self }
    return ImportError.stopped(
      "the import stopped because the list of tasks could not be read: \(cause.message)", by: cause)
  }
}
