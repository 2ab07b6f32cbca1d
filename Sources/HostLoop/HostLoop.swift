import Glibc
import Synchronization

/// The one thread everything runs on: Swift jobs, timers, and whoever waits for a descriptor, such as network transfers.
///
/// It is the executor of `HostActor` and the task executor of the tasks started by `HostActor.task`. Its thread starts
/// with the first job and lives as long as the process.
package final class HostLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // Unchecked: `arrivals` is guarded by its mutex, `thread` is atomic, of `descriptors` other threads only ring the bell,
  // and everything else is touched on the loop's thread only.
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
  /// Those being run: the one array's room is used again for the other.
  private var running: [UnownedJob] = []
  private var timers = TimerQueue()
  let descriptors = DescriptorSet()
  /// How often the loop has waited for descriptors; touched on its thread only.
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

  package func checkIsolated() {
    precondition(isCurrent, "this code runs on the thread of HostLoop only")
  }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Whether the caller is on the loop's thread.
  package var isCurrent: Bool { pthread_self() == thread.load(ordering: .relaxed) }

  /// Sends `number` to the loop's thread, if it runs: wakes or interrupts what it is in the middle of.
  package func send(signal number: Int32) {
    let thread = thread.load(ordering: .relaxed)
    if thread != 0 { pthread_kill(thread, number) }
  }

  /// The processor time that the loop's thread has taken, in seconds; 0 before it runs.
  var computed: Double {
    let thread = thread.load(ordering: .relaxed)
    var clock = clockid_t()
    var time = timespec()
    guard thread != 0, pthread_getcpuclockid(thread, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  // MARK: The loop's own thread

  /// Runs `action` on the loop's thread after `seconds`; `cancel` takes it back.
  @HostActor package func schedule(after seconds: Double, _ action: @escaping @HostActor () -> Void) -> TimerQueue.ID {
    timers.add(at: Self.uptime + max(0, seconds), action)
  }

  /// Takes back a scheduled action; nothing happens when it has already run.
  @HostActor package func cancel(_ timer: TimerQueue.ID) { timers.remove(timer) }

  private func start() {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, Self.stackSize)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let failure = pthread_create(&thread, &attributes, { _ in HostLoop.shared.run() }, nil)
    guard failure == 0 else { fatalError("cannot start the host thread: errno \(failure)") }
    pthread_attr_destroy(&attributes)
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
      HostActor.assumeIsolated { turn &+= 1 }
      descriptors.wait(milliseconds: ready.isEmpty ? timers.millisecondsToNext : 0)
    }
  }

  /// Runs the jobs that are ready now; those they make ready wait for the next turn, after timers and transfers.
  private func runReady() {
    swap(&running, &ready)
    for job in running {
      descriptors.pulse.beat()
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
    running.removeAll(keepingCapacity: true)
  }
}
