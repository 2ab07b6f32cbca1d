import HostLoop

@HostActor
final class LanePool {
  struct Key: Hashable {
    let origin: Origin
    let trust: Trust
    /// The thumbprint of the client's certificate.
    let certificate: String?

    // The keys of one origin are few, and each request is hashed.
    func hash(into hasher: inout Hasher) { hasher.combine(origin) }
  }

  private let multi: CurlMulti
  private unowned let engine: CurlEngine
  private var lanes: [Lane] = []
  private var idle: [Lane] = []
  /// The number of lanes, also of those being made.
  private var count = 0
  /// Each waits for a lane; nil lets it make one.
  private var waiting: [CancellableWait<Lane?>] = []
  private var alarm: (time: Double, timer: TimerQueue.ID)?

  init(multi: CurlMulti, engine: CurlEngine) {
    self.multi = multi
    self.engine = engine
  }

  /// Returns a connected lane, to be given back. Waits for one if there are as many as allowed.
  func take(
    for request: HTTPRequest, _ configuration: HTTPClientConfiguration, _ deadline: Double
  ) async throws(HTTPError) -> Lane {
    while true {
      while let lane = idle.popLast() {
        if lane.isAlive() { return use(lane, until: deadline) }
        forget(lane)
      }
      guard count >= engine.maximumConnectionsPerHost else { break }
      guard let lane = try await wait(for: request, deadline) else { continue }
      // It may have been closed on the way.
      if lane.isAlive() { return use(lane, until: deadline) }
      forget(lane)
    }
    count += 1
    do {
      let lane = try await Lane(request, configuration, multi, timeout: deadline - HostLoop.uptime)
      lanes.append(lane)
      return use(lane, until: deadline)
    } catch {
      count -= 1
      makeRoomKnown()
      throw error
    }
  }

  func giveBack(_ lane: Lane) {
    guard lane.isOpen else {
      forget(lane)
      return makeRoomKnown()
    }
    while !waiting.isEmpty { if waiting.removeFirst().finish(.success(lane)) { return } }
    idle.append(lane)
  }

  private func forget(_ lane: Lane) {
    lanes.removeAll { $0 === lane }
    count -= 1
  }

  private func makeRoomKnown() {
    while !waiting.isEmpty {
      if waiting.removeFirst().finish(.success(nil)) { return }
    }
  }

  private func wait(for request: HTTPRequest, _ deadline: Double) async throws(HTTPError) -> Lane? {
    let wait = CancellableWait<Lane?>()
    waiting.append(wait)
    let timer = HostLoop.shared.schedule(after: deadline - HostLoop.uptime) {
      wait.finish(.failure(HTTPError.timeout(request, mayHaveBeenReceived: false)))
    }
    defer { HostLoop.shared.cancel(timer) }
    do { return try await wait.value() } catch {
      throw error as? HTTPError ?? .canceled(request, mayHaveBeenReceived: false)
    }
  }

  // MARK: Time limits

  /// One timer for all, set for the first request that is due: it mostly finds the request long answered.
  private func use(_ lane: Lane, until deadline: Double) -> Lane {
    lane.deadline = deadline
    if deadline < alarm?.time ?? .infinity { setAlarm(deadline) }
    return lane
  }

  private func setAlarm(_ time: Double) {
    if let alarm { HostLoop.shared.cancel(alarm.timer) }
    alarm = (time, HostLoop.shared.schedule(after: time - HostLoop.uptime) { self.timeIsUp() })
  }

  private func timeIsUp() {
    alarm = nil
    let now = HostLoop.uptime
    for lane in lanes where lane.deadline <= now { lane.timeIsUp() }
    if let next = lanes.lazy.map(\.deadline).filter({ $0 > now }).min(), next.isFinite { setAlarm(next) }
  }
}
