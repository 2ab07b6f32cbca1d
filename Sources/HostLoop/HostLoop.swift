import Core
import Glibc
import Synchronization

/// The one thread that runs everything: Swift jobs, timers and handlers of descriptors, such as network transfers. It
/// is the executor of `HostActor` and the task executor of the tasks started by `HostActor.task`. Its thread starts
/// with the first job and lives as long as the process.
package final class HostLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // Unchecked: `arrivals` has a mutex, `thread` is atomic, other threads only ring the bell of `descriptors`, and only the
  // loop's thread uses all other members.
  package static let shared = HostLoop()

  /// Room for deep recursion in C: the Lua parser, pattern matching and chains of coroutines.
  private static let stackSize = 64 << 20

  private struct Arrivals {
    var jobs: [UnownedJob] = []
    var isRunning = false
  }

  /// Jobs from other threads.
  private let arrivals = Locked(Arrivals())
  /// Jobs from the loop's own thread, which need no lock.
  private var ready: [UnownedJob] = []
  /// The jobs of this turn. The two arrays are swapped, so that their memory is used again.
  private var running: [UnownedJob] = []
  private var timers = TimerQueue()
  let descriptors = DescriptorSet()
  /// The number of times that the loop has waited for descriptors.
  @HostActor package private(set) var turn: UInt64 = 0
  /// The loop's thread, zero before it runs.
  private let thread = Atomic<pthread_t>(0)

  private init() {}

  // MARK: Executor

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent {
      ready.append(job)
      return
    }
    let (isFirst, starts) = arrivals.withLock { arrivals in
      arrivals.jobs.append(job)
      let starts = !arrivals.isRunning
      arrivals.isRunning = true
      return (arrivals.jobs.count == 1, starts)
    }
    if starts { start() } else if isFirst { descriptors.ring() }
  }

  package func checkIsolated() { precondition(isCurrent, "this code runs on the thread of HostLoop only") }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// True on the loop's thread.
  package var isCurrent: Bool { pthread_self() == thread.load(ordering: .relaxed) }

  /// Sends the signal `number` to the loop's thread, if it runs.
  package func send(signal number: Int32) {
    let thread = thread.load(ordering: .relaxed)
    if thread != 0 { pthread_kill(thread, number) }
  }

  /// The processor time of the loop's thread in seconds; 0 before it runs.
  var computed: Double {
    let thread = thread.load(ordering: .relaxed)
    var clock = clockid_t()
    guard thread != 0, pthread_getcpuclockid(thread, &clock) == 0 else { return 0 }
    return Self.seconds(of: clock) ?? 0
  }

  // MARK: The loop's own thread

  /// Runs `action` on the loop's thread after `seconds`, unless it is canceled.
  @HostActor package func schedule(after seconds: Double, _ action: @escaping @HostActor () -> Void) -> TimerQueue.ID {
    timers.add(at: Self.uptime + max(0, seconds), action)
  }

  /// Cancels a scheduled action. Does nothing if the action has already run.
  @HostActor package func cancel(_ timer: TimerQueue.ID) { timers.remove(timer) }

  /// Waits `seconds`. Throws `CancellationError` when the task is canceled meanwhile.
  @HostActor package func sleep(seconds: Double) async throws {
    let wait = CancellableWait<Void>()
    let timer = schedule(after: seconds) { wait.finish(.success(())) }
    defer { cancel(timer) }
    try await wait.value()
  }

  /// Seconds that no change of the clock affects: for durations and time limits.
  /// In a replay, those of the loop stand still while it works; in a simulation, those of all threads.
  package static var uptime: Double {
    if let simulated = SimulatedTime.now { return simulated }
    if let standing = StandingClock.uptime, shared.isCurrent { return standing }
    return seconds(of: CLOCK_MONOTONIC) ?? 0
  }

  private static func seconds(of clock: clockid_t) -> Double? {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func start() {
    guard SystemThread.start(stackSize: Self.stackSize, { self.run() }) != nil else {
      fatalError("the system has no thread left for the host")
    }
  }

  private func run() -> Never {
    thread.store(pthread_self(), ordering: .relaxed)
    while true {
      ready += arrivals.withLock { arrivals in
        defer { arrivals.jobs.removeAll() }
        return arrivals.jobs
      }
      if !timers.isEmpty {
        let now = Self.uptime
        while let action = timers.next(dueAt: now) {
          descriptors.pulse.beat()
          HostActor.assumeIsolated { action() }
        }
      }
      runReady()
      if ready.isEmpty { passSimulatedTime() }
      HostActor.assumeIsolated { [self] in turn &+= 1 }
      guard StandingClock.uptime != nil else {
        descriptors.wait(milliseconds: ready.isEmpty ? timers.millisecondsToNext : 0)
        continue
      }
      waitInReplay()
    }
  }

  /// The milliseconds that other threads, files and programs have before the clock of a replay moves.
  private static let patience: Int32 = 3

  /// If nothing is left to do at this moment of a replay, the clock moves to the next timer.
  private func waitInReplay() {
    let next = timers.nextTime
    let events = descriptors.wait(milliseconds: ready.isEmpty ? next.map { _ in Self.patience } : 0)
    if events == 0, ready.isEmpty, let next { StandingClock.go(to: next) }
  }

  /// Nothing is to do before the next timer: a simulated time passes at once.
  private func passSimulatedTime() {
    guard let now = SimulatedTime.now, let next = timers.nextTime, arrivals.withLock({ $0.jobs.isEmpty }) else {
      return
    }
    SimulatedTime.set(max(now, next))
  }

  /// Runs the jobs that are ready now. Jobs that become ready meanwhile wait for the next turn, after timers and transfers.
  private func runReady() {
    swap(&running, &ready)
    for job in running {
      descriptors.pulse.beat()
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
    running.removeAll(keepingCapacity: true)
  }
}
