import Diagnostics
import HostLoop
import TaskAPI

extension ImportEngine {
  /// Longer waits than this end the import rather than look like a hang.
  private static let longestRetryAfter = 300.0
  /// A row that is put off this often while others get through has something about itself.
  private static let mostAttempts = 20

  /// Takes rows and sends them, one after the other, until there are none or the import stops.
  func work(_ source: any RowSource) async {
    do {
      while let (row, draft) = try await claim(source) {
        try await send(draft, of: row)
      }
    } catch {
      stop(error)
    }
  }

  /// A row on its way.
  private struct Sending {
    let row: SourceRecord
    let draft: TaskDraft
    var attempts = 0
    /// Those since another row got through.
    var fruitlessAttempts = 0
    /// How many tasks had been added when it was last put off.
    var addedBefore: Int
    /// A request for it went out and was not answered.
    var isUnsettled = false
  }

  /// Sends one row until it is settled or the import stops.
  private func send(_ draft: TaskDraft, of row: SourceRecord) async throws {
    let key = options.honorsIdempotencyKey ? "\(runID)-\(row.number)" : nil
    var sending = Sending(row: row, draft: draft, addedBefore: report.added)
    var lastError: any Error = CancellationError()
    while true {
      await pause(seconds: heldUntil - now)
      if stopReason != nil { return try await leave(sending, lastError) }
      inFlight += 1
      do {
        try await client.add(draft, idempotencyKey: key)
        inFlight -= 1
        report.added += 1
        failuresInARow = 0
        return
      } catch {
        inFlight -= 1
        lastError = error
        if case .failed(isUnsettled: true, _) = Verdict(error, honorsIdempotencyKey: false) {
          sending.isUnsettled = true
        }
        switch Verdict(error, honorsIdempotencyKey: options.honorsIdempotencyKey) {
        case .stop:
          stop(.stopped(by: error, at: row))
        case .failed(_, let isServers):
          return try await fail(sending, error, isServers: isServers)
        case .again(let wait):
          sending.attempts += 1
          sending.fruitlessAttempts = report.added == sending.addedBefore ? sending.fruitlessAttempts + 1 : 1
          sending.addedBefore = report.added
          if sending.fruitlessAttempts > options.retries || (wait ?? 0) > Self.longestRetryAfter {
            stop(.stopped(by: error, at: row))
          } else if sending.attempts >= Self.mostAttempts {
            return try await fail(sending, error, isServers: true)
          } else if let wait {
            heldUntil = max(heldUntil, now + wait)
          } else {
            await pause(seconds: delay(sending.attempts))
          }
        }
      }
    }
  }

  /// The import stops before the row is settled: it was not sent, or nobody knows.
  private func leave(_ sending: Sending, _ error: any Error) async throws {
    if sending.isUnsettled { try await fail(sending, error, isServers: true) }
  }

  private func fail(_ sending: Sending, _ error: any Error, isServers: Bool) async throws {
    failuresInARow = isServers ? failuresInARow + 1 : 0
    if failuresInARow >= max(10, options.concurrency) { stop(.stopped(by: error, at: sending.row)) }
    let failure = error as? any Failure
    let reason = failure?.message ?? String(describing: error)
    try await record(
      RowFailure(
        row: sending.row.number, line: sending.row.line,
        reason: sending.isUnsettled ? "\(reason): the task may have been added" : reason,
        code: failure?.code ?? "unknown", status: failure?.status, text: sending.draft.text,
        isUnsettled: sending.isUnsettled))
  }

  /// Longer each time, and never the same for two, so that they do not come back together.
  private func delay(_ attempt: Int) -> Double {
    min(options.longestDelay, options.firstDelay * Double(1 << min(attempt - 1, 20))) * .random(in: 0.5...1)
  }
}

extension Error where Self == ImportError {
  /// The import cannot go on at `row`. What it has done by then is added when the last requests have been answered.
  fileprivate static func stopped(by cause: any Error, at row: SourceRecord) -> ImportError {
    let failure = cause as? any Failure
    let place = row.line.map { " (line \($0))" } ?? ""
    return ImportError(
      kind: .stopped,
      message: "the import stopped at row \(row.number)\(place): \(failure?.message ?? String(describing: cause))",
      hint: failure?.hint, line: row.line, status: failure?.status, isRetryable: failure?.isRetryable ?? false,
      details: (failure?.details ?? [:]).merging(["cause": failure?.code ?? "unknown"]) { _, cause in cause })
  }
}
