package import Automation
import Core
package import HostLoop
import Lua
import LuaKit
package import ScriptHost
import Terminal

/// An interactive Lua session on a terminal.
@HostActor
package final class Session {
  let host: ScriptHost
  let console: Console
  let completer: NameCompleter
  let help: SessionHelp
  private let timeout: Double?
  private let stopSignal: Int32
  var history = History()
  var reader: LineReader?
  var lines: [String] = []
  private var running: Task<Void, any Error>?
  private var hasToldOfLocals = false
  /// The place whose variables the lines see; nil outside of a debugger.
  var place: DebugPlace?

  /// - Parameter stopSignal: the signal that stops a script that computes without waiting.
  package init(_ host: ScriptHost, console: Console, timeout: Double?, stopSignal: Int32) {
    self.timeout = timeout
    self.stopSignal = stopSignal
    self.host = host
    self.console = console
    let reference = host.reference
    completer = NameCompleter(state: host.state, reference: reference)
    help = SessionHelp(reference: reference, state: host.state)
  }

  /// Runs until Ctrl-D, `exit` or the end of the terminal.
  /// - Throws: an error if lines cannot be edited on this terminal.
  package func run() async throws {
    Redaction.rememberGiven()
    try await host.beginSession()
    host.state.globals["help"] = .function(host.state.function(help.function))
    let reader = try LineReader(history: history.entries) { [completer] in completer.complete($0) }
    self.reader = reader
    defer { self.reader = nil }
    while true {
      beginLine()
      switch try await reader.read(prompt: lines.isEmpty ? "> " : ">> ") {
      case .cleared:
        lines = []
        StandardOutput.write("^C\n")
      case .end:
        StandardOutput.write("\n")
        guard !lines.isEmpty else { return }
        lines = []
      case .line(let line):
        if lines.isEmpty, ["exit", "quit"].contains(line), host.state.globals[line].isNil { return }
        await take(line)
        try Task.checkCancellation()
      }
    }
  }

  /// Handles Ctrl-C: stops the running call and waits for its end. If no call is running, clears the line.
  package func interrupt() async {
    if let running {
      running.cancel()
      _ = await running.result
    } else {
      _ = reader?.clear()
    }
    host.state.rearm()
  }

  func take(_ line: String) async {
    // An entry of the history may have several lines.
    lines += line.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let text = lines.joined(separator: "\n")
    var hasRun = false
    switch Chunk(helpCall(text) ?? text, in: host.state) {
    case .incomplete: return
    case .wrong(let error): tell(error)
    case .complete(let function, let isExpression):
      do { if let place { function.setEnvironment(try place.environment()) } } catch { tell(error) }
      await run(function)
      hasRun = true
      if !isExpression, text.hasPrefix("local "), !text.hasPrefix("local function"), !hasToldOfLocals {
        hasToldOfLocals = true
        console.write(console.paint("a local variable ends with its line; without local it stays", "2"))
      }
    }
    // The secrets of the text are known now and are removed from the entry.
    history.add(text, hasRun: hasRun)
    if let kept = history.entries.last { reader?.remember(kept) }
    lines = []
  }

  /// Recognizes `help tasks.add`, which is written like on the command line.
  private func helpCall(_ text: String) -> String? {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0] == "help",
      words[1].allSatisfy({ $0.isLetter || $0.isNumber || "._:".contains($0) })
    else { return text == "help" ? "help()" : nil }
    return "help \"\(words[1])\""
  }

  private func run(_ function: LuaFunction) async {
    // An earlier stop, such as by --timeout, must not stop this call.
    host.state.rearm()
    let task = HostActor.task { [self] in
      guard let timeout else { return show(try await function.call()) }
      try await TimeLimit.run(seconds: timeout, signal: stopSignal) { [self] in show(try await function.call()) }
    }
    running = task
    let result = await withTaskCancellationHandler(operation: { await task.result }, onCancel: { task.cancel() })
    running = nil
    host.closeScreen()
    do { try result.get() } catch is CancellationError {
      // The terminal has already shown ^C.
      console.write("\n" + console.paint("interrupted", "33"))
    } catch { tell(LuaError(error)) }
    host.reportLeftovers()
  }

  /// Ends a line that a call has not ended, so that the next text begins at the left margin.
  func beginLine() {
    StandardOutput.flush()
    guard !StandardOutput.isAtLineStart else { return }
    StandardOutput.write("\n")
    StandardOutput.flush()
  }

  private func show(_ values: [LuaValue]) {
    if !values.isEmpty { beginLine() }
    if let first = values.first { host.state.globals["_"] = first }
    let text = ValueText(width: Console(descriptor: 1).width)
    for value in values { StandardOutput.write(OutputText(text.text(of: value)).text + "\n") }
  }

  func tell(_ error: LuaError) {
    beginLine()
    // The line number is left out if there is only one line.
    let isHere = lines.count == 1 && error.location == "\(Chunk.name):1"
    if console.write(denial: error, behind: console.paint("error:", "31"), showsPlace: !isHere) { return }
    console.write("\(console.paint("error:", "31")) \((isHere ? error.message : error.description).displayableLines)")
    if let hint = error.hint { console.write("  \(console.paint("hint:", "36")) \(hint.displayableLines)") }
    guard error.code == "script_error", let traceback = error.traceback else { return }
    let calls = traceback.split(separator: "\n").filter { !$0.contains("[C]") }
    if calls.count > 2 { console.write(console.paint(calls.joined(separator: "\n").displayableLines, "2")) }
  }
}
