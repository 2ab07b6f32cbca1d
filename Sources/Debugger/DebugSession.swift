package import HostLoop
import JSON
package import Lua

/// The conversation with the client of a debugger, about one run of a script.
@HostActor
package final class DebugSession {
  /// A halt of the script.
  struct Halt {
    let reason: String
    let call: Int
    var description: String?
    var error: LuaError?
    var breakpoints: [Int] = []
  }

  /// Which errors halt the script.
  struct ErrorFilter: OptionSet {
    let rawValue: Int
    static let uncaught = ErrorFilter(rawValue: 1)
    static let raised = ErrorFilter(rawValue: 2)
  }

  /// The request `launch`.
  package struct Launch: Sendable {
    package var program: String?
    package var arguments: [String] = []
    package var stopsOnEntry = false
    package var isWithoutDebugging = false
  }

  package let channel: DebugChannel
  let breakpoints: Breakpoints
  var target: DebugTarget?
  var halt: Halt?
  var step: Step?
  var errors: ErrorFilter = .uncaught
  /// A halt at the next line: for a pause, or for a called function.
  var next: Halt?
  private var waits: [CancellableWait<Void>] = []
  private var beginning: Beginning
  private var ending = Ending()

  private struct Beginning {
    var launch: Launch?
    var isConfigured = false
    let wait: CancellableWait<Launch>
  }

  private struct Ending {
    var hasBegun = false
    var isDetached = false
    var lastError: String?
    var stop: (@HostActor () -> Void)?
  }

  package init(_ channel: DebugChannel) throws {
    self.channel = channel
    breakpoints = try Breakpoints()
    beginning = Beginning(wait: CancellableWait())
  }

  /// Talks with the client until it has launched the script and set its breakpoints.
  /// - Parameter stop: ends the script; called when the client wants that, or has gone.
  package func begin(_ stop: @escaping @HostActor () -> Void) async throws -> Launch {
    ending.stop = stop
    guard channel.start({ [weak self] in self?.takeRequests() }) else {
      throw LuaError(code: "no_thread", message: "debug: the system has no thread left")
    }
    return try await beginning.wait.value()
  }

  /// Watches the script that runs in `state` from now on.
  /// - Parameter paths: the paths of the chunks whose names are not paths.
  package func attach(_ state: LuaState, paths: [String: String]) {
    let target = DebugTarget(state, watch: Watch.begin(on: state, by: self), paths: paths)
    self.target = target
    if beginning.launch?.stopsOnEntry == true { step = Step(kind: .into, call: -1, depth: 0, latestCall: 0) }
    if beginning.launch?.isWithoutDebugging == true { ending.isDetached = true }
    refreshWatch()
  }

  /// Tells the client that the script has ended.
  package func finish(status: Int32) {
    ending.hasBegun = true
    takeRequests()
    channel.send(event: "exited", ["exitCode": .integer(Int64(status))])
    channel.send(event: "terminated")
  }

  // MARK: Requests

  /// Answers the requests that have arrived.
  func takeRequests() {
    let (requests, isClosed, problem) = channel.take()
    channel.callAttention(halt != nil)
    for request in requests { answer(request) }
    if let problem { channel.send(output: "b2c-run: \(problem)\n", "important") }
    if isClosed, !ending.isDetached { end() }
  }

  func launch(_ launch: Launch) {
    beginning.launch = launch
    beginIfReady()
  }

  func configurationDone() {
    beginning.isConfigured = true
    beginIfReady()
  }

  private func beginIfReady() {
    if let launch = beginning.launch, beginning.isConfigured { beginning.wait.finish(.success(launch)) }
  }

  /// Ends the script, once.
  func end() {
    goOn()
    beginning.wait.finish(.failure(CancellationError()))
    guard !ending.hasBegun else { return }
    ending.hasBegun = true
    ending.stop?()
  }

  /// Lets the script run on without a debugger.
  func detach() {
    ending.isDetached = true
    refreshWatch()
    goOn()
  }

  /// Sets the events that the script is watched for.
  func refreshWatch() {
    guard let watch = target?.watch else { return }
    let isActive = !ending.isDetached
    watch.setLines(breakpoints.allLines)
    watch.wantsErrors = isActive && errors.contains(.raised)
    watch.wantsEveryLine = step != nil || next != nil
    watch.setEvents(lines: isActive, calls: isActive && !breakpoints.functions.isEmpty)
  }

  // MARK: Halting

  /// Halts the script, and tells the client.
  func begin(_ halt: Halt) {
    self.halt = halt
    (step, next) = (nil, nil)
    HaltClock.begin()
    Watch.callAttention(true)
    refreshWatch()
    var body: [String: JSON] = [
      "reason": .string(halt.reason), "threadId": .integer(Int64(halt.call)), "allThreadsStopped": true,
    ]
    if let description = halt.description { body["description"] = .string(description) }
    if let error = halt.error { body["text"] = .string(error.description) }
    if !halt.breakpoints.isEmpty { body["hitBreakpointIds"] = .array(halt.breakpoints.map { .integer(Int64($0)) }) }
    channel.send(event: "stopped", body)
  }

  /// Halts the script at its next line, as the script itself wants it.
  package func haltNext(in call: Int) {
    guard !ending.isDetached else { return }
    next = Halt(reason: "breakpoint", call: call, description: "b2c.debug()")
    refreshWatch()
  }

  /// Lets the script continue; with a step, until the step ends.
  func goOn(_ step: Step? = nil) {
    guard halt != nil else { return }
    halt = nil
    self.step = step
    HaltClock.end()
    channel.callAttention(false)
    target?.forgetHalt()
    refreshWatch()
    for wait in waits { wait.finish(.success(())) }
    waits = []
  }

  /// Halts where the coroutine cannot be suspended: nothing else runs meanwhile.
  func holdThread(_ state: LuaState) {
    while halt != nil, !state.isStopping {
      channel.wait()
      takeRequests()
    }
    if halt != nil { goOn() }
  }

  /// True for an error that was not told yet: a parent raises those of its tasks again.
  func isNew(_ error: LuaError) -> Bool {
    defer { ending.lastError = error.message }
    return ending.lastError != error.message
  }
}

extension DebugSession: Watcher {
  package var isHolding: Bool { halt != nil }

  package func goesOn() async throws {
    while halt != nil {
      let wait = CancellableWait<Void>()
      waits.append(wait)
      try await wait.value()
    }
    try Task.checkCancellation()
  }

  package func halts(at moment: Moment) -> Bool {
    takeRequests()
    guard case .line(let line) = moment.event else {
      if case .call = moment.event { noteCall(moment) }
      return false
    }
    // All coroutines halt together.
    if halt != nil { return moment.canHalt }
    guard let halt = reasonToHalt(at: line, moment) else { return false }
    begin(halt)
    if moment.canHalt { return true }
    channel.send(output: "halted where Lua cannot pause: the rest of the script waits too\n", "console")
    holdThread(moment.state)
    return false
  }

  package func sees(error: LuaError, at moment: Moment) {
    guard errors.contains(.raised), halt == nil, isNew(error) else { return }
    begin(Halt(reason: "exception", call: moment.call, description: "error in a pcall", error: error))
    holdThread(moment.state)
  }

  package func ends(call number: Int, with error: LuaError, in coroutine: ScriptCoroutine) async {
    guard !errors.isEmpty, target != nil, !ending.isDetached, error.code != Self.helpCode else { return }
    do {
      try await goesOn()
      guard isNew(error) else { return }
      begin(Halt(reason: "exception", call: number, description: "error that nothing catches", error: error))
      try await goesOn()
    } catch { return }
  }

  /// The code of the error that ends a script after its help.
  private static let helpCode = "help"

  package func ended(call number: Int, startedBy parent: Int?) {
    guard let step, step.call == number else { return }
    self.step = parent.map { Step(kind: .into, call: $0, depth: 0, latestCall: .max) }
    refreshWatch()
  }
}
