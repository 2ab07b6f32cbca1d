import Automation
import HostLoop
import Lua
import Terminal

/// What `term.screen` returns.
@HostActor
final class LuaScreen: LuaObject {
  private unowned let host: ScriptHost
  private let screen: FullScreen

  init(_ host: ScriptHost, _ screen: FullScreen) {
    self.host = host
    self.screen = screen
    holdOutput()
  }

  /// Puts the terminal back, and shows what was written meanwhile.
  func close() {
    guard screen.isOpen else { return }
    screen.close()
    host.screen = nil
    releaseOutput()
  }

  private func holdOutput() {
    StandardOutput.hold()
    host.console.hold()
  }

  private func releaseOutput() {
    StandardOutput.release()
    host.console.release()
  }

  private func suspended(_ function: LuaFunction, _ arguments: Arguments) async throws -> [LuaValue] {
    guard screen.isShown else { throw arguments.failure("the screen is suspended already, or closed") }
    screen.suspend()
    releaseOutput()
    do {
      let results = try await function.call()
      try await resume()
      return results
    } catch {
      // The script may go on; a canceled one does not need the screen any more.
      if !(error is CancellationError) { try await resume() }
      throw error
    }
  }

  private func resume() async throws {
    guard screen.isOpen else { return }
    holdOutput()
    try await screen.resume()
  }

  private static let this = Parameter("self", .object("screen"))

  static let luaType = HostType(
    "screen", "The terminal, while a script has it whole.",
    methods: [draw, key, size, suspend, closeFunction],
    close: { ($0 as? LuaScreen)?.close() },
    describe: { ($0 as? LuaScreen)?.screen.isOpen == true ? "screen" : "screen (closed)" })

  private static let draw = HostFunction(
    "screen:draw",
    "Shows these lines from the top, in place of all that was shown; what is the same is not drawn again. What does not fit "
      + "is left out, and control characters are shown as marks.",
    [
      this,
      Parameter(
        "lines", .list(of: .either([.string, .number, .table])),
        "Each a text, { \"text\", style = \"bold\" } or term.style's, or a list of such pieces."),
      .options([
        Parameter(
          "cursor", .list(of: .integer), optional: true,
          "{ row, column } of the cursor, from 1; without it, there is none.")
      ]),
    ]
  ) { arguments in
    let object: LuaScreen = try arguments.object(0)
    guard object.screen.isOpen else { throw arguments.failure("the screen is closed") }
    var lines: [[StyledText]] = []
    // What is beyond the last row is not looked at.
    for (offset, line) in (arguments[1].table?.elements ?? []).prefix(object.screen.size.rows).enumerated() {
      lines.append(try [StyledText](line: line, number: offset + 1, arguments))
    }
    var cursor: (Int, Int)?
    if let table = arguments["cursor"].table {
      guard let row = table[.integer(1)].integer, let column = table[.integer(2)].integer else {
        throw arguments.failure("option 'cursor': expected { row, column }")
      }
      cursor = (Int(clamping: row), Int(clamping: column))
    }
    object.screen.draw(lines, cursor: cursor)
    return []
  }

  private static let key = HostFunction.suspending(
    "screen:key",
    "Waits for a key; other coroutines go on. Ctrl-C ends the script, as always, and Ctrl-Z stops it until the shell lets it "
      + "go on.",
    [
      this,
      .options([
        Parameter(
          "timeout", .number, optional: true, in: Parameter.anyNumber,
          "Seconds to wait at most; without it, as long as it takes.")
      ]),
    ],
    returns: [
      .init(
        .string, optional: true,
        "A character, or up, down, left, right, home, end, page-up, page-down, enter, tab, backspace, delete, insert, escape, "
          + "f1 to f12, with ctrl-, alt- or shift- in front; paste; resize when the terminal has another size. Nil when "
          + "the time was up."),
      .init(.string, optional: true, "What the key writes, or what was pasted."),
    ]
  ) { arguments in
    let object: LuaScreen = try arguments.object(0)
    guard object.screen.isOpen else { throw arguments.failure("the screen is closed") }
    if let timeout = arguments["timeout"].number, !(timeout >= 0) {
      throw arguments.failure("option 'timeout': expected zero or more seconds, got \(timeout)")
    }
    guard let key = try await object.screen.key(timeout: arguments["timeout"].number) else {
      if object.screen.isAtEnd { throw LuaError(code: "no_input", message: "screen:key: the terminal has gone") }
      return [.nil]
    }
    return [.string(key.name), .string(key.text)]
  }

  private static let size = HostFunction(
    "screen:size", "How large the screen is, at this moment.", [this],
    returns: [.init(.integer, "Its columns."), .init(.integer, "Its rows.")]
  ) { arguments in
    let object: LuaScreen = try arguments.object(0)
    let size = object.screen.size
    return [.integer(size.columns), .integer(size.rows)]
  }

  private static let suspend = HostFunction.suspending(
    "screen:suspend",
    "Gives the terminal back while the function runs, which may print and ask; then the screen is there again.",
    [this, Parameter("f", .function, "What to run.")], returns: [.init(.any, "What the function returns.")]
  ) { arguments in
    let object: LuaScreen = try arguments.object(0)
    guard let function = arguments[1].function else { return [] }
    return try await object.suspended(function, arguments)
  }

  private static let closeFunction = HostFunction("screen:close", "Puts the terminal back as it was.", [this]) {
    arguments in
    let object: LuaScreen = try arguments.object(0)
    object.close()
    return []
  }
}
