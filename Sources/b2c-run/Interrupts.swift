import Automation
import CommandLine
import Commands
import Core
import Files
import Glibc
import HostLoop
import Lua
import Synchronization
import Terminal

/// Ctrl-C, termination, the time limit and a closed standard output stop the script; a second Ctrl-C ends the process,
/// as does a script that does not stop. Ctrl-\ tells where the script stands. In a session each Ctrl-C is a first one.
final class Interrupts: Sendable {
  /// Sent to the host's thread, where it reaches a script that computes without waiting.
  static let stopSignal = SIGUSR1

  /// Sent to the process when nobody reads its standard output any more.
  private static let closedOutputSignal = SIGUSR2

  private struct Stop {
    let reason: ExitStatus
    /// When it was asked for, in uptime.
    let time: Double
    var watch: StopWatch
  }

  private let signals: sigset_t
  private let timeout: Double?
  private let memory: MemoryWatch?
  private let stopped = Mutex<Stop?>(nil)

  var reason: ExitStatus? { stopped.withLock { $0?.reason } }

  /// Blocks the signals in every thread started from now on. `memoryLimit` is in bytes; 0 for no limit.
  init(timeout: Double?, memoryLimit: Int = 0) {
    // A command without a script is stopped by canceling its task alone.
    signal(Self.stopSignal, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !Self.isIgnored(number) { sigaddset(&signals, number) }
    sigaddset(&signals, Self.closedOutputSignal)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    StandardOutput.whenClosed(send: Self.closedOutputSignal)
    self.signals = signals
    self.timeout = timeout
    memory = MemoryWatch(limit: memoryLimit)
    StopWatch.whenStuck { Self.end(.limit, saying: $0.sentence) }
  }

  /// Takes each Ctrl-C, on the main thread; calls what it gets when nothing that is to stop runs any more.
  typealias Taker = @Sendable (_ hasStopped: @escaping @Sendable () -> Void) -> Void

  private static let taker = Mutex<Taker?>(nil)

  /// From now on Ctrl-C stops the script that computes and calls `taker`, and does not end the process; nil: it does again.
  static func handOver(_ taker: Taker?) { Self.taker.withLock { $0 = taker } }

  private static let passed: Set<Int32> = [SIGINT, SIGTERM, SIGHUP]

  /// Waits on the main thread for as long as the process lives. `stop` is called once; it cancels the task of what runs.
  func wait(_ stop: () -> Void) -> Never {
    var limit = timeout.map { HostLoop.uptime + $0 }
    while true {
      let stopping = stopped.withLock { $0 }
      let look = memory.map { _ in HostLoop.uptime + MemoryWatch.pause }
      let next =
        stopping.map { max(HostLoop.uptime + StopWatch.pause, $0.time + StopWatch.patience) }
        ?? [limit.map { max($0 + HaltClock.seconds, HostLoop.uptime + StopWatch.pause) }, look].compactMap(\.self).min()
      let signal = waitForSignal(until: next)
      if let signal, Self.passed.contains(signal), let receiver = PassedSignals.current {
        receiver(signal)
        continue
      }
      switch (signal, stopping) {
      case (SIGQUIT, _): report()
      case (SIGINT, _) where Self.taker.withLock { $0 != nil }: request(.interrupted, handOver)
      case (nil, .some):
        endIfTooLarge()
        endIfStuck()
      case (nil, nil):
        endIfTooLarge()
        // A halt in a debugger does not count.
        guard let time = limit, HostLoop.uptime >= time + HaltClock.seconds else { break }
        limit = nil
        request(.limit, stop)
      // A script that prints while it is being stopped meets the closed output again.
      case (Self.closedOutputSignal, .some): break
      case (Self.closedOutputSignal, nil): request(.outputClosed, stop)
      case (let number?, .some): Self.end(ExitStatus(signal: number))
      case (let number?, nil): request(ExitStatus(signal: number), stop)
      }
    }
  }

  private func request(_ reason: ExitStatus, _ stop: () -> Void) {
    stopped.withLock { $0 = Stop(reason: reason, time: HostLoop.uptime, watch: StopWatch(signal: Self.stopSignal)) }
    stop()
    LuaState.ask(.stop, bySignal: Self.stopSignal)
  }

  private func handOver() {
    guard let take = Self.taker.withLock({ $0 }) else { return }
    take { self.stopped.withLock { $0 = nil } }
  }

  private func report() {
    LuaState.ask(.report, bySignal: Self.stopSignal)
    HostActor.task { if !LuaState.reportIfAsked() { Self.say("no script runs") } }
  }

  private func endIfTooLarge() {
    guard let memory, let excess = memory.excess else { return }
    let place = LuaState.finalPlace(bySignal: Self.stopSignal) ?? ScriptPlace(line: "", call: "")
    let call = place.call.isEmpty ? "" : "in the middle of \(place.call), "
    Self.end(
      .limit,
      saying: "ended \(place.at)\(call)for it took \(excess >> 20) MiB: --memory allows \(memory.limit >> 20) MiB, and "
        + "\(MemoryWatch.headroom >> 20) MiB for the program itself")
  }

  private func endIfStuck() {
    let found = stopped.withLock { stop -> (ExitStatus, ScriptPlace)? in
      guard let place = stop?.watch.stuckPlace(), let reason = stop?.reason else { return nil }
      return (reason, place)
    }
    if let (reason, place) = found { Self.end(reason, saying: place.sentence) }
  }

  /// Ends the process at once, and the programs that scripts wait for.
  private static func end(_ status: ExitStatus, saying sentence: String? = nil) -> Never {
    LuaState.prepareToEnd(status: status.rawValue)
    if let sentence { say(sentence) }
    TerminalMode.restore()
    Console.clearProgress()
    StandardOutput.flushIfFree()
    _exit(status.rawValue)
  }

  private static func say(_ text: String) {
    Console.clearProgress()
    try? OpenFile.write(Array("b2c-run: \(text.displayableLines)\n".utf8), to: STDERR_FILENO)
  }

  /// The number of the signal that came, nil when `time` did, in uptime.
  private func waitForSignal(until time: Double?) -> Int32? {
    var signals = signals
    var number: Int32 = 0
    guard let time else {
      while sigwait(&signals, &number) != 0 {}
      return number
    }
    repeat {
      let rest = max(0, time - HostLoop.uptime)
      var limit = timespec(tv_sec: Int(rest), tv_nsec: Int(rest.truncatingRemainder(dividingBy: 1) * 1e9))
      number = sigtimedwait(&signals, nil, &limit)
    } while number == -1 && errno == EINTR
    return number == -1 ? nil : number
  }

  /// As the parent process wants it, such as nohup. A blocked signal would come all the same.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return action.__sigaction_handler.sa_handler.map { unsafeBitCast($0, to: Int.self) } == 1
  }
}
