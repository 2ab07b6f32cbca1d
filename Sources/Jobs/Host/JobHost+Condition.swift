import HostLoop

extension JobHost {
  package var condition: HostCondition {
    if case .away(let text)? = trouble { return .away(text) }
    switch role {
    case .loading where isStopping: return .ending
    case .loading: return .loading(known: read.known, of: read.of)
    case .standingBy: return isStopping ? .ending : .standingBy
    case .draining, .ended: return .ending
    case .planning:
      if isStopping { return .ending }
      if let trouble { return trouble }
      return isReady ? .planning(jobs: model.jobs.count) : .loading(known: read.known, of: read.of)
    }
  }

  /// Why the store cannot be used; nil if it can.
  private var trouble: HostCondition? {
    if let error = outage.error { return .away("\(error)") }
    return standstill.error.map { .standstill("\($0)") }
  }

  /// Tells of a new condition.
  package func noteCondition() {
    let condition = condition
    if case .loading = condition {
    } else {
      let waits = whenLoaded
      whenLoaded = []
      for wait in waits { wait.finish(condition == .ending ? .failure(JobError.ended) : .success(())) }
    }
    guard condition != told else { return }
    told = condition
    onCondition?(condition)
  }

  /// The most that wait for the definitions at once.
  private static let mostWaiting = 200

  /// Waits until the jobs are known, for so many seconds at most. Throws `JobError.loading` if they are not known by then.
  package func loaded(within seconds: Double) async throws {
    guard case .loading = condition, relay == nil else { return }
    guard whenLoaded.count < Self.mostWaiting else { throw JobError.loading }
    let wait = CancellableWait<Void>()
    whenLoaded.append(wait)
    let limit = HostLoop.shared.schedule(after: seconds) { [weak self] in
      self?.whenLoaded.removeAll { $0 === wait }
      wait.finish(.failure(JobError.loading))
    }
    defer { HostLoop.shared.cancel(limit) }
    try await wait.value()
  }
}
