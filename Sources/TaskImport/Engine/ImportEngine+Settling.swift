import Core
import HTTPClient
import HostLoop
import TaskAPI

/// Finding out by the list of tasks what became of rows whose answer never came.
extension ImportEngine {
  /// Looks at the tasks there are before the first row goes out: later, that tells the new from the old.
  func takeCensus() async throws {
    let wantsBaseline = honorsKeys != true && isNew && !options.isDryRun
    guard wantsBaseline || options.dedupe != nil, stopReason == nil else { return }
    let census: TaskCensus
    do {
      census = try await ask { try await TaskCensus.all(self.client, dedupe: self.options.dedupe) }
    } catch let error as TaskAPIError where options.dedupe == nil && Verdict(error).meansNoList {
      onNotice?("the list of tasks cannot be read, so that a row whose answer gets lost stays unsettled: \(error)")
      return
    } catch let error as any Failure where !(error is ImportError) {
      throw ImportError.stopped(byListing: error)
    }
    existing = census.values
    guard wantsBaseline else { return }
    if census.isCut {
      onNotice?(
        "the server shows \(census.total) tasks and may have more: a row whose answer gets lost stays unsettled")
    } else {
      try await journal.setBaseline(total: census.total, counts: census.counts)
    }
  }

  /// Finds out by the list what became of the rows of unknown fate. See `Settlement`.
  func settleUnknown() async throws {
    let rows = unknown.sorted { $0.number < $1.number }
    let wasUnclear = mustSettle
    unclearAnswers = 0
    phase = .settling
    await pause(seconds: lastUnknown + options.settleAfter - now)
    guard stopReason == nil else { return }
    try await journal.flush()
    let outcome = try await settle(rows, mustStopUnlessFound: wasUnclear)
    guard wasUnclear, stopReason == nil, let last = rows.last(where: { $0.lastError != nil }),
      let error = last.lastError
    else { return }
    // The server adds tasks and does not say so.
    if outcome == .someAdded { mostUnclear = Self.mostUnknown } else { stop(.stopped(by: error, at: last.record)) }
  }

  private enum Outcome { case someAdded, noneAdded }

  /// - Parameter mustStopUnlessFound: whether the import stops where none of the rows has been added.
  private func settle(_ rows: [QueuedRow], mustStopUnlessFound: Bool) async throws -> Outcome {
    guard let totalBefore = journal.baselineTotal else {
      try await leaveUnsettled(rows, because: "the tasks there were before the import are not known")
      return .noneAdded
    }
    let counts = rows.reduce(into: [UInt64: Int]()) { $0[$1.sentHash, default: 0] += 1 }
    let hashes = Set(counts.keys)
    let census: TaskCensus
    do {
      census = try await ask { try await TaskCensus.counting(hashes, self.client) }
    } catch let error as TaskAPIError where Verdict(error).meansNoList {
      try await leaveUnsettled(rows, because: "the list of tasks cannot be read: \(error.message)")
      return .noneAdded
    } catch let error as any Failure where !(error is ImportError) {
      throw ImportError.stopped(byListing: error)
    }
    guard stopReason == nil else { return .noneAdded }
    var known = Settlement.Known(totalBefore: totalBefore, totalAdded: journal.addedCount)
    known.before = try await journal.baselineCounts(of: hashes)
    known.added = try await journal.addedCounts(of: hashes)
    known.lost = try await journal.lostCounts(of: hashes)
    var settlement = Settlement(census, known, rows: counts)
    // The import is about to stop: the next run looks again.
    if mustStopUnlessFound, settlement.needsProof { return .noneAdded }
    unknown = []
    var absent: [QueuedRow] = []
    var hidesConfirmed = false
    for row in rows {
      switch settlement.fate(
        of: row.sentHash, mayComeLater: row.mayComeLater, isConfirmed: row.isConfirmed)
      {
      case .added:
        report.added += 1
        settle(row.journalRow, .added { nil })
      case .unsettled(let reason):
        try await leaveUnsettled(row, because: reason)
      case .absent where row.isConfirmed:
        hidesConfirmed = true
        try await leaveUnsettled(
          row, because: "it was sent twice, the second time was confirmed, and the list does not show it")
      case .absent:
        absent.append(row)
      }
    }
    if hidesConfirmed {
      let reason = "the list does not show a task that was confirmed, so that a missing one proves nothing"
      for row in absent { try await leaveUnsettled(row, because: reason) }
      return .someAdded
    }
    try await sendAgain(absent, listed: census.total)
    return settlement.hasFound ? .someAdded : .noneAdded
  }

  /// Sends again rows that the list does not have. The list may have been cut off just before them. That it was not is
  /// known once it has shown more tasks than it had then; until then few of them are sent, and the others wait.
  private func sendAgain(_ rows: [QueuedRow], listed total: Int) async throws {
    var proven: [QueuedRow] = []
    var unproven: [QueuedRow] = []
    for row in rows {
      let isProven = row.missedAt.map { total > $0 } ?? false
      if row.timesMissed < Self.mostMisses {
        if isProven { proven.append(row) } else { unproven.append(row) }
        row.missedAt = row.missedAt ?? total
      } else if let error = row.lastError, isProven || (error as? any Failure)?.status != nil {
        try await fail(row, error)
      } else {
        try await leaveUnsettled(row, because: "the list has never had it, however often it was sent")
      }
    }
    unproven.sort { ($0.timesMissed, $0.number) < ($1.timesMissed, $1.number) }
    let sent = proven.isEmpty ? Array(unproven.prefix(trialSize)) : proven
    unknown = proven.isEmpty ? Array(unproven.dropFirst(sent.count)) : unproven
    trialSize = proven.isEmpty ? min(2 * trialSize, Self.mostUnknown) : 1
    for row in sent {
      row.timesMissed += 1
      row.missedAt = nil
      row.isOnTrial = proven.isEmpty
      settle(row.journalRow, .absent)
    }
    try await sendAnew(sent)
  }

  private func leaveUnsettled(_ rows: [QueuedRow], because reason: String) async throws {
    unknown = []
    for row in rows { try await leaveUnsettled(row, because: reason) }
  }

  /// Asks until there is an answer, the import stops, or the server has been waited for in vain.
  private func ask<R: Sendable>(_ question: @HostActor () async throws -> R) async throws -> R {
    var patience = CircuitBreaker(
      threshold: 1, retries: options.retries, first: 2 * options.firstDelay, longest: options.longestDelay,
      patience: options.patience)
    var renewals = 0
    var hasTold = false
    while true {
      let start = now
      do {
        let answer = try await question()
        wait = nil
        return answer
      } catch {
        guard stopReason == nil else { throw error }
        switch Verdict(error) {
        case .again(let after), .unknown(let after):
          guard after ?? 0 <= Self.longestRetryAfter else { throw error }
          let isAnswer = (error as? any Failure)?.status != nil
          patience.failed(isAnswer ? .server : .unreachable, latency: now - start, at: now, retryAfter: after)
          guard case .open(let until) = patience.state else { throw error }
          noteWait(until: until, waitReason(error))
          if !hasTold { tellPatience(error) }
          hasTold = true
          await pause(seconds: until - now)
          _ = patience.admits(at: max(now, until))
        case .renew:
          renewals += 1
          guard renewals <= options.retries else { throw error }
          noteWait(until: now + renewalDelay(renewals), .tokenRefused)
          await pause(seconds: renewalDelay(renewals))
        case .refused, .doubtful, .unclear, .stop: throw error
        }
        guard stopReason == nil else { throw error }
      }
    }
  }

  /// Says that the import waits for the server, and for how long.
  private func tellPatience(_ error: any Error) {
    let seconds = options.patience < 1 ? options.patience : options.patience.rounded()
    let what = (error as? any Failure)?.message ?? String(describing: error)
    onNotice?(
      "\(what); trying again for up to \(ProgressLine.shortTime(seconds)) (wait = 0, --wait 0: not at all)")
  }

  /// A row that was not there so often although it had been sent each time has something about itself.
  private static let mostMisses = 3
}

extension Error where Self == ImportError {
  fileprivate static func stopped(byListing cause: any Failure) -> ImportError {
    ImportError(
      kind: .stopped, message: "the import stopped because the list of tasks could not be read: \(cause.message)",
      hint: cause.hint, status: cause.status, isRetryable: cause.isRetryable,
      details: cause.details.merging(["cause": cause.code]) { _, code in code })
  }
}
