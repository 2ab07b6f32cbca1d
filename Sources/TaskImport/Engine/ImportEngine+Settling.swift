import Diagnostics
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
    } catch let error as TaskAPIError where options.dedupe == nil && Verdict(error) == .doubtful {
      onNotice?("the list of tasks cannot be read, so that a row whose answer gets lost stays unsettled: \(error)")
      return
    } catch let error as any Failure where !(error is ImportError) {
      throw ImportError.stopped(byListing: error)
    }
    existing = census.values
    guard wantsBaseline else { return }
    if census.isCut {
      onNotice?("the server shows its \(census.total) oldest tasks only: a row whose answer gets lost stays unsettled")
    } else {
      try await journal.setBaseline(total: census.total, counts: census.counts)
    }
  }

  /// Compares the list with what it should hold: a text that is there more often than it was before and than rows with
  /// it are known to have been added since, is there by rows of unknown fate.
  func settleUnknown() async throws {
    let rows = unknown.sorted { $0.number < $1.number }
    let hashes = Set(rows.map(\.sentHash))
    phase = .settling
    await pause(seconds: lastUnknown + options.settleAfter - now)
    guard stopReason == nil else { return }
    try await journal.flush()
    guard let baseline = journal.baselineTotal else {
      return try await leaveUnsettled(rows, because: "the tasks there were before the import are not known")
    }
    let census: TaskCensus
    do {
      census = try await ask { try await TaskCensus.counting(hashes, self.client) }
    } catch let error as TaskAPIError where Verdict(error) == .doubtful {
      return try await leaveUnsettled(rows, because: "the list of tasks cannot be read: \(error.message)")
    } catch let error as any Failure where !(error is ImportError) {
      throw ImportError.stopped(byListing: error)
    }
    guard stopReason == nil else { return }
    let before = try await journal.baselineCounts(of: hashes)
    let added = try await journal.addedCounts(of: hashes)
    var found = census.counts
    for hash in hashes { found[hash, default: 0] -= before[hash, default: 0] + added[hash, default: 0] }
    // Rows that are gone from the source may have added some of what was found: none of it, or all, is clear all the same.
    let lost = try await journal.lostCounts(of: hashes).filter { hash, count in
      (1..<count + rows.count { $0.sentHash == hash }).contains(found[hash, default: 0])
    }
    let doubt = census.doubt(expecting: baseline + journal.addedCount)
    unknown = []
    var absent: [QueuedRow] = []
    for row in rows {
      if lost[row.sentHash] != nil {
        try await leaveUnsettled(
          row, because: "a row that the source no longer has may have added the task that is there")
      } else if found[row.sentHash, default: 0] > 0 {
        found[row.sentHash, default: 0] -= 1
        report.added += 1
        settle(row.journalRow, .added { nil })
      } else if let doubt {
        try await leaveUnsettled(row, because: doubt)
      } else if row.timesMissed >= Self.mostMisses, let error = row.lastError {
        try await fail(row, error)
      } else {
        row.timesMissed += 1
        settle(row.journalRow, .absent)
        absent.append(row)
      }
    }
    try await sendAnew(absent)
  }

  private func leaveUnsettled(_ rows: [QueuedRow], because reason: String) async throws {
    unknown = []
    for row in rows { try await leaveUnsettled(row, because: reason) }
  }

  /// Asks until there is an answer, the import stops, or the server is given up.
  private func ask<R: Sendable>(_ question: @HostActor () async throws -> R) async throws -> R {
    var attempt = 0
    while true {
      do {
        return try await question()
      } catch {
        attempt += 1
        switch Verdict(error) {
        case .again(let wait), .unknown(let wait):
          guard stopReason == nil, attempt <= options.retries, wait ?? 0 <= Self.longestRetryAfter else { throw error }
          await pause(seconds: backoff.delay(attempt: attempt, retryAfter: wait, using: &generator))
        case .refused, .doubtful, .stop: throw error
        }
      }
    }
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
