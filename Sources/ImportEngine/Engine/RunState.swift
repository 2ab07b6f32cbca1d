import HostLoop

/// The clock and the phase of a run, and the reason of a stop or a wait. Times are seconds since the run began.
@HostActor
final class RunState {
  let options: ImportOptions
  var statistics = ImportStatistics()
  let events: Events
  var onStop: @HostActor () -> Void = {}
  var isPermitted: @HostActor () -> Bool = { true }
  /// True if the server has taken other rows of this import lately: what it refuses now is about a row.
  var serverTakesRows = false
  var phase = ProgressSnapshot.Phase.sending {
    didSet { if phase != oldValue { emit(.phase(phase)) } }
  }
  /// The reason of the stop; `CancellationError` if the import was canceled.
  private(set) var stopReason: (any Error)?
  private(set) var wait: (until: Double, reason: WaitReason)?
  private var pauses: [ObjectIdentifier: CancellableWait<Void>] = [:]
  /// Ends the readings under way.
  private var readings: [Int: @HostActor () -> Void] = [:]
  private var start = ContinuousClock.now

  init(_ options: ImportOptions, _ events: Events) {
    self.options = options
    self.events = events
  }

  func emit(_ event: @autoclosure () -> ImportEvent) { events.emit(event()) }

  func begin() { start = .now }

  var now: Double { (ContinuousClock.now - start) / .seconds(1) }

  var isStopping: Bool { stopReason != nil }

  /// Reads and sends no further row. The first reason counts.
  func stop(_ reason: any Error) {
    if stopReason == nil { stopReason = reason }
    phase = .draining
    for pause in pauses.values { pause.finish(.success(())) }
    for end in readings.values { end() }
    onStop()
  }

  func pause(seconds: Double) async {
    guard !isStopping, seconds > 0 else { return }
    let wait = CancellableWait<Void>()
    let timer = HostLoop.shared.schedule(after: seconds) { wait.finish(.success(())) }
    pauses[ObjectIdentifier(wait)] = wait
    // The wait ends early when the run stops, which the caller checks next.
    _ = try? await wait.value()
    pauses[ObjectIdentifier(wait)] = nil
    HostLoop.shared.cancel(timer)
  }

  /// Does something that only reads, and cancels it when the run stops: a long list may wait for the service again and again.
  func untilStop<Answer: Sendable>(_ read: @escaping @HostActor () async throws -> Answer) async throws -> Answer {
    let number = (readings.keys.max() ?? 0) + 1
    let reading = HostActor.task { try await read() }
    readings[number] = { reading.cancel() }
    defer { readings[number] = nil }
    return try await reading.value
  }

  /// Nothing is sent until then. `Retry-After` may be 0: such a wait is over already.
  func beginWait(until end: Double, _ reason: WaitReason) {
    let seconds = end - max(now, wait?.until ?? 0)
    guard seconds > 0 else { return }
    statistics.waited(seconds: seconds, reason: reason)
    wait = (end, reason)
  }

  func endWait() { wait = nil }
}
