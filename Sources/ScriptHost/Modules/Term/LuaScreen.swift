import Automation
import HostLoop
import Lua
import LuaKit
import Terminal

final class LuaScreen: LuaObject {
  private let screen: FullScreen
  private let console: Console
  private let onClose: @HostActor () -> Void

  init(_ screen: FullScreen, _ console: Console, onClose: @escaping @HostActor () -> Void) {
    self.screen = screen
    self.console = console
    self.onClose = onClose
    holdOutput()
  }

  /// Restores the terminal, and shows the output that was held back.
  func close() {
    guard screen.isOpen else { return }
    screen.close()
    onClose()
    releaseOutput()
  }

  private func holdOutput() {
    StandardOutput.hold()
    console.hold()
  }

  private func releaseOutput() {
    StandardOutput.release()
    console.release()
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
      // The script may continue; a canceled one does not need the screen any more.
      if !(error is CancellationError) { try await resume() }
      throw error
    }
  }

  private func resume() async throws {
    guard screen.isOpen else { return }
    holdOutput()
    try await screen.resume()
  }

  private func demandOpen(_ arguments: Arguments) throws(LuaError) {
    guard screen.isOpen else { throw arguments.failure("the screen is closed") }
  }

  static let luaType = HostType(
    "screen", "The whole terminal, controlled by a script.", methods: [draw, key, size, suspend, closeFunction],
    close: { ($0 as? LuaScreen)?.close() },
    describe: { ($0 as? LuaScreen)?.screen.isOpen == true ? "screen" : "screen (closed)" })

  private static let draw = method(
    "screen:draw",
    "Shows these lines from the top, instead of all earlier lines. Only changed lines are drawn again. Lines "
      + "that do not fit are omitted, and marks replace control characters.",
    Parameter(
      "lines", .list(of: .either([.string, .number, .table])),
      "The lines. Each line is a text, a piece { \"text\", style = \"bold\" }, a result of term.style, or a "
        + "list of such pieces."),
    options: DrawOptions.keys
  ) { object, arguments in
    try object.demandOpen(arguments)
    var lines: [[StyledText]] = []
    // Lines below the last row are not looked at.
    for (offset, line) in try (arguments[1].table?.elements ?? []).prefix(object.screen.size.rows).enumerated() {
      lines.append(try [StyledText](line: line, number: offset + 1, arguments))
    }
    object.screen.draw(lines, cursor: try DrawOptions(arguments).cursor)
    return []
  }

  private struct DrawOptions: LuaOptions {
    var cursor: (Int, Int)?

    static let fields: [Field] = [
      .init(
        "cursor", \.cursor, .list(of: .integer),
        "The position of the cursor, { row, column } from 1. If not given, the cursor is hidden."
      ) { value, place in
        guard let row = value.table?[.integer(1)].integer, let column = value.table?[.integer(2)].integer else {
          throw place.failure("expected { row, column }")
        }
        return (Int(clamping: row), Int(clamping: column))
      }
    ]
  }

  private static let key = suspendingMethod(
    "screen:key",
    "Waits for a key; other coroutines keep running. Ctrl-C ends the script, as always, and Ctrl-Z stops it until the shell "
      + "resumes it.",
    options: KeyOptions.keys,
    returns: .init(
      .string, optional: true,
      "A character, or up, down, left, right, home, end, page-up, page-down, enter, tab, backspace, delete, "
        + "insert, escape, f1 to f12, with ctrl-, alt- or shift- in front; paste; resize after a change of size. "
        + "Nil after the timeout."), .init(.string, optional: true, "The text that the key writes, or the pasted text.")
  ) { object, arguments in
    try object.demandOpen(arguments)
    guard let key = try await object.screen.key(timeout: try KeyOptions(arguments).timeout) else {
      if object.screen.isAtEnd { throw LuaError(code: "no_input", message: "screen:key: the terminal has gone") }
      return [.nil]
    }
    return [.string(key.name), .string(key.text)]
  }

  private struct KeyOptions: LuaOptions {
    var timeout: Double?

    static let fields: [Field] = [
      .init(
        "timeout", \.timeout, .number, in: Parameter.anyNumber,
        "The maximum number of seconds to wait; no limit if not given."
      ) { value, place in
        guard let timeout = value.number, timeout >= 0 else {
          throw place.failure("expected zero or more seconds, got \(value.number ?? 0)")
        }
        return timeout
      }
    ]
  }

  private static let size = method(
    "screen:size", "The current size of the screen.", returns: .init(.integer, "The columns."),
    .init(.integer, "The rows.")
  ) { object, _ in [.integer(object.screen.size.columns), .integer(object.screen.size.rows)] }

  private static let suspend = suspendingMethod(
    "screen:suspend",
    "Restores the terminal while the function runs. The function may print and ask. Then the screen returns.",
    Parameter("f", .function, "The function."), returns: .init(.any, "The results of the function.")
  ) { object, arguments in
    guard let function = arguments[1].function else { return [] }
    return try await object.suspended(function, arguments)
  }

  private static let closeFunction = method("screen:close", "Restores the terminal.") { object, _ in
    object.close()
    return []
  }
}

final class LuaEditor: LuaObject {
  private var line: EditedLine

  init(_ text: String) { line = EditedLine(text) }

  static let luaType = HostType(
    "editor", "A line of text that the user edits.",
    properties: [property("text", .string, "The text of the line.") { .string($0.line.text) }],
    methods: [
      method(
        "editor:press",
        "Applies a key to the line: a character, a paste, an arrow, home, end, backspace, delete, and Ctrl-A, E, "
          + "B, F, D, K, U, W as in shells.", Parameter("key", .string, "The key, as screen:key returns it."),
        .optional("text", .string, "The second result of screen:key."),
        returns: .init(.boolean, "True if the key edits a line; false for other keys, such as enter and escape.")
      ) { editor, arguments in [.boolean(editor.line.press(KeyPress(arguments.string(1), text: arguments[2].string)))]
      },
      method(
        "editor:view", "The visible part of the line, around the cursor.",
        Parameter("columns", .integer, in: 0...10_000, "The width of the part."), returns: .init(.string, "The part."),
        .init(.integer, "The column of the cursor in this part, from 1.")
      ) { editor, arguments in
        let view = editor.line.view(columns: Int(clamping: arguments[1].integer ?? 0))
        return [.string(view.text), .integer(view.cursor)]
      },
    ], describe: { _ in "editor" })
}
