import CLua
import CLuaShims
import Glibc
package import HostLoop
import Synchronization

/// Measures where the time of a state's scripts goes, without a hook for each line: a thread asks for the place of the script each
/// millisecond, and calls of the host are measured one by one.
@HostActor
package final class Profiler {
  /// A function of the script or of the host, with the functions that it has called.
  package struct Node: Sendable {
    /// Seconds in the function itself.
    package private(set) var own = 0.0
    package private(set) var calls: [String: Node] = [:]

    package init() {}

    package var total: Double { calls.values.reduce(own) { $0 + $1.total } }

    package mutating func add(_ seconds: Double, at path: some Collection<String>) {
      guard let first = path.first else {
        own += seconds
        return
      }
      calls[first, default: Node()].add(seconds, at: path.dropFirst())
    }
  }

  /// The processor time that scripts and the host took for their calls.
  package private(set) var computing = Node()
  /// The time in which calls of the host waited. Waits at the same time add up.
  package private(set) var waiting = Node()

  private unowned let state: LuaState
  private let clock = SampleClock()
  /// The processor time up to which everything is counted.
  private var mark = 0.0
  private var latest: [String] = []
  private var waits: [LuaStack: (path: [String], start: Double)] = [:]

  private static let shortestCall = 50e-6
  private static let deepest: Int32 = 100

  /// Begins to measure. The state obeys a signal, which asks for its place.
  package init(of state: LuaState) {
    self.state = state
    state.watching.profiler = self
    guard let signal = LuaState.stopSignal else { return }
    clock.begin { LuaState.ask(.report, bySignal: signal) }
  }

  package func end() {
    clock.end()
    state.watching.profiler = nil
  }

  // MARK: Calls of the state

  /// True if this profiler, not a person, asked for a place.
  func takesSample() -> Bool {
    guard clock.takeDue() else { return false }
    if let running = state.host.pointee.running { count(at: path(of: running)) }
    return true
  }

  func begins() {
    mark = Self.processorTime
    latest = []
  }

  func pauses() { count(at: latest.isEmpty ? ["calls of less than 1 ms"] : latest) }

  func measure<Result>(_ name: String, on stack: LuaStack, _ body: () throws -> Result) rethrows -> Result {
    let start = Self.processorTime
    defer {
      let end = Self.processorTime
      if end - start > Self.shortestCall {
        let path = path(of: stack)
        computing.add(max(0, start - mark), at: path)
        computing.add(max(0, end - max(start, mark)), at: path + [name])
        (mark, latest) = (end, path)
      }
    }
    return try body()
  }

  func suspends(_ stack: LuaStack, in name: String) {
    let path = path(of: stack)
    count(at: path)
    waits[stack] = (path + [name], HostLoop.uptime)
  }

  func goesOn(_ stack: LuaStack) {
    guard let (path, start) = waits.removeValue(forKey: stack) else { return }
    waiting.add(HostLoop.uptime - start, at: path)
  }

  private func count(at path: [String]) {
    let now = Self.processorTime
    computing.add(max(0, now - mark), at: path)
    (mark, latest) = (now, path)
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  // MARK: The way to a place

  /// The Lua functions that lead there, the outermost first, also those of coroutines that have resumed it.
  private func path(of stack: LuaStack) -> [String] {
    var chain = [LuaStack?](repeating: nil, count: 50)
    let count = state.current.map { Int(luas_chain(state.host, $0.stack, &chain, Int32(chain.count))) } ?? 0
    let nested = chain.prefix(count).compactMap { $0 }
    return (nested.first == stack ? nested : [stack]).flatMap(Self.functions).reversed()
  }

  private static func functions(of stack: LuaStack) -> [String] {
    var functions: [String] = []
    var frame = lua_Debug()
    for level in 0..<deepest where lua_getstack(stack, level, &frame) != 0 {
      guard lua_getinfo(stack, "Sn", &frame) != 0, let name = name(&frame) else { continue }
      functions.append(name)
    }
    return functions
  }

  /// `parse (import.lua:12)`; nil for a function of C.
  private static func name(_ frame: inout lua_Debug) -> String? {
    guard frame.linedefined >= 0 else { return nil }
    let file = withUnsafeBytes(of: &frame.short_src) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if frame.linedefined == 0 { return "main chunk (\(file))" }
    let name = frame.name.map { String(cString: $0) } ?? "function"
    return "\(name) (\(file):\(frame.linedefined))".replacing(";", with: ",")
  }
}

/// Asks for a sample each millisecond, on another thread.
private final class SampleClock: Sendable {
  private static let pause: UInt32 = 1000
  private let isRunning = Atomic(true)
  private let isDue = Atomic(false)

  func begin(_ ask: @escaping @Sendable () -> Void) {
    SystemThread.start { [self] in
      while isRunning.load(ordering: .relaxed) {
        usleep(Self.pause)
        // A signal that comes when the request of an earlier one was taken would stop the script.
        if !isDue.exchange(true, ordering: .relaxed) { ask() }
      }
    }
  }

  func end() { isRunning.store(false, ordering: .relaxed) }

  func takeDue() -> Bool { isDue.exchange(false, ordering: .relaxed) }
}
