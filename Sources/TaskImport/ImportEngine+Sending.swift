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

  /// Sends one row until it is settled or the import stops.
  private func send(_ draft: TaskDraft, of row: ImportRow) async throws {
    let key = options.honorsIdempotencyKey ? "\(runID)-\(row.number)" : nil
    var attempts = 0
    var fruitless = 0
    while true {
      await pause(seconds: heldUntil - now)
      if stopReason != nil { return }
      let addedBefore = report.added
      inFlight += 1
      do {
        try await client.add(draft, idempotencyKey: key)
        inFlight -= 1
        report.added += 1
        failuresInARow = 0
        return
      } catch {
        inFlight -= 1
        switch Verdict(error, honorsIdempotencyKey: options.honorsIdempotencyKey) {
        case .stop:
          return stop(.stopped(by: error, at: row))
        case .failed(let isUnsettled, let isServers):
          return try await fail(row, draft, error, isUnsettled: isUnsettled, isServers: isServers)
        case .again(let wait):
          attempts += 1
          fruitless = report.added == addedBefore ? fruitless + 1 : 1
          let isHopeless = fruitless > options.retries || (wait ?? 0) > Self.longestRetryAfter
          if isHopeless || attempts >= Self.mostAttempts {
            return try await giveUp(row, draft, error, isHopeless: isHopeless)
          }
          if let wait { heldUntil = max(heldUntil, now + wait) } else { await pause(seconds: delay(attempts)) }
        }
      }
    }
  }

  /// The row is put off once too often: for good, when nobody else got through either.
  private func giveUp(_ row: ImportRow, _ draft: TaskDraft, _ error: any Error, isHopeless: Bool) async throws {
    // What would be said of the error if the row were not to be sent again.
    let final = Verdict(error, honorsIdempotencyKey: false)
    if case .failed(let isUnsettled, _) = final {
      try await fail(row, draft, error, isUnsettled: isUnsettled, isServers: true)
    } else if !isHopeless {
      try await fail(row, draft, error, isUnsettled: false, isServers: true)
    }
    if isHopeless { stop(.stopped(by: error, at: row)) }
  }

  private func fail(
    _ row: ImportRow, _ draft: TaskDraft, _ error: any Error, isUnsettled: Bool, isServers: Bool
  ) async throws {
    failuresInARow = isServers ? failuresInARow + 1 : 0
    if failuresInARow >= max(10, options.concurrency) { stop(.stopped(by: error, at: row)) }
    let failure = error as? any Failure
    let reason = failure?.message ?? String(describing: error)
    try await record(
      RowFailure(
        row: row.number, line: row.line, reason: isUnsettled ? "\(reason): the task may have been added" : reason,
        code: failure?.code ?? "unknown", status: failure?.status, text: draft.text, isUnsettled: isUnsettled))
  }

  /// Longer each time, and never the same for two, so that they do not come back together.
  private func delay(_ attempt: Int) -> Double {
    min(options.longestDelay, options.firstDelay * Double(1 << min(attempt - 1, 20))) * .random(in: 0.5...1)
  }
}

extension Error where Self == ImportError {
  /// The import cannot go on at `row`. What it has done by then is added when the last requests have been answered.
  fileprivate static func stopped(by cause: any Error, at row: ImportRow) -> ImportError {
    let failure = cause as? any Failure
    let place = row.line.map { " (line \($0))" } ?? ""
    return ImportError(
      kind: .stopped,
      message: "the import stopped at row \(row.number)\(place): \(failure?.message ?? String(describing: cause))",
      hint: failure?.hint, line: row.line, status: failure?.status, isRetryable: failure?.isRetryable ?? false,
      details: (failure?.details ?? [:]).merging(["cause": failure?.code ?? "unknown"]) { _, cause in cause })
  }
}
