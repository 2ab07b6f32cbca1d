import Automation
import Core
import Glibc
import HostLoop
import Lua
import LuaKit
import Permissions
import Terminal

final class TermModule: LuaModule {
  let console: Console
  private let state: LuaState
  private let options: HostFunction
  private let permissions: Permissions
  private var screen: LuaScreen?
  private(set) lazy var styleMetatable = makeStyleMetatable(state)

  init(_ console: Console, _ state: LuaState, _ permissions: Permissions, options: HostFunction) {
    self.permissions = permissions
    self.console = console
    self.state = state
    self.options = options
  }

  var module: HostModule {
    HostModule(
      "term", "The terminal, and the script's own command line.",
      notes: """
        `term.prompt`, `term.confirm` and `term.password` ask at the terminal, also if standard input is a pipe. Without a
        terminal they raise `no_terminal`, and after Ctrl-D they raise `no_input`. After every end of the script, the
        terminal shows typed text again.
        """,
      example: """
        local term = require "b2c.term"

        local options = term.options {
          summary = "Greets people.",
          positions = { { "[NAME...]", "the names of the people" } },
          options = {
            { "--greeting TEXT", "the greeting", default = "Hello" },
            { "--times N", "the number of greetings", type = "integer", default = 1 },
            { "--dry-run", "print nothing" },
          },
        }
        for i = 1, #options do
          for _ = 1, options.dry_run and 0 or options.times do print(options.greeting .. ", " .. options[i]) end
        end
        """, functions)
  }

  static let functions: [ModuleFunction<TermModule>] = [
    progress, table, ModuleFunction { $0.options }, prompt, confirm, password, when, size, style, width, fit,
    openScreen, editor,
    ModuleFunction { _ in
      .question("term.is_tty", "Tells whether standard output is a terminal.") { [isTerminal = isatty(1) == 1] in
        isTerminal
      }
    },
  ]

  private static let progress = function(
    "term.progress", "Shows a progress bar on standard error, if standard error is a terminal.",
    options: ProgressOptions.keys,
    returns: .init(.object("progress"), "The bar. It ends with :finish(), or with its <close> variable."),
    example: """
      local progress <close> = b2c.term.progress { total = 3, label = "Counting" }
      for i = 1, 3 do progress:update(i) end
      """
  ) { module, arguments in
    let options = try ProgressOptions(arguments)
    return [.object(Progress(module.console, label: options.label, total: options.total))]
  }

  private struct ProgressOptions: LuaOptions {
    var total: Int?
    var label = ""

    static let fields: [Field] = [
      .init("total", \.total, .integer, "The amount of work. If not given, the bar shows a count.") { value, place in
        guard let total = value.integer, total >= 0 else {
          throw place.failure("expected zero or more, got \(value.integer ?? 0)")
        }
        return Int(total)
      },
      .init("label", \.label, "The text in front of the bar."),
    ]
  }

  private static let table = function(
    "term.table", "Prints rows as a table with aligned columns.",
    Parameter("rows", .list(of: .table), "The rows. Each row is a list of cells, or a table by column name."),
    options: TableOptions.keys,
    example: """
      b2c.term.table({ { id = 1, text = "Buy milk" }, { id = 2, text = "日本" } }, { columns = { "id", "text" } })
      """
  ) { _, arguments in
    StandardOutput.write(try TextTable(arguments).text)
    return []
  }

  private static let size = function(
    "term.size", "The size of the terminal of standard output.",
    returns: .init(.integer, optional: true, "The columns; nil without a terminal."),
    .init(.integer, optional: true, "The rows; nil without a terminal.")
  ) { _, _ in
    let size = TerminalScreen(of: STDOUT_FILENO)
    return [.integer(size?.columns), .integer(size?.rows)]
  }

  private static let openScreen = suspending(
    "term.screen",
    "Takes the whole terminal until the screen is closed: local screen <close> = term.screen(). After every "
      + "end of the script, the terminal is restored. Output and log lines appear then.",
    returns: .init(.object("screen"), "The screen: it draws lines and reads keys.")
  ) { module, arguments in
    let isDumb = getenv("TERM").map { String(path: $0) == "dumb" } ?? true
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, !isDumb, let terminal = ControllingTerminal.shared
    else {
      throw LuaError(
        code: "no_terminal", message: "\(arguments.function.name): there is no terminal to draw on",
        hint: isDumb
          ? "TERM names a terminal that cannot move the cursor"
          : "run the script on a terminal, and redirect neither its input nor its output")
    }
    guard module.screen == nil else {
      throw LuaError(
        code: "screen_open", message: "\(arguments.function.name): there is a screen already",
        hint: "close it before, for example by declaring it with <close>")
    }
    let screen = LuaScreen(try await FullScreen.open(on: terminal), module.console) { module.screen = nil }
    module.screen = screen
    return [.object(screen)]
  }

  /// Restores the terminal if a call has left a screen open.
  func closeScreen() { screen?.close() }

  private static let editor = function(
    "term.editor", "Makes an editor for a line of text, for scripts that draw an input field.",
    .optional("text", .string, "The initial text."),
    returns: .init(.object("editor"), "The editor, with the cursor at the end of the text.")
  ) { _, arguments in [.object(LuaEditor(arguments.string(0)))] }

  static let style = function(
    "term.style",
    "A text in a style, for print, term.table and screen:draw. If standard output is not a terminal, "
      + "tostring returns only the text. With NO_COLOR in the environment, there are no colors.",
    Parameter("text", .either([.string, .number]), "One line. Marks replace its control characters."),
    Parameter(
      "style", .string,
      "Words, separated by spaces: bold, dim, italic, underline, reverse; black, red, green, yellow, blue, "
        + "magenta, cyan, white, gray; on_red and so on for the background."),
    returns: .init(.table, "The table { text, style = style }. tostring and the operator .. convert it to a string.")
  ) { module, arguments in
    _ = try TextStyle(arguments.string(1), arguments, at: "argument 2")
    let table = arguments.state.makeTable()
    table[.integer(1)] = arguments[0]
    table["style"] = arguments[1]
    table.metatable = module.styleMetatable
    return [.table(table)]
  }

  func makeStyleMetatable(_ state: LuaState) -> LuaTable {
    let isStock = { [permissions] in permissions.isOfStockCommand }
    let metatable = state.makeTable()
    metatable["__tostring"] = .function(
      state.function(
        HostFunction("tostring", "", [.any("text")]) { arguments in
          [.string(try StyledText(arguments[0], arguments, at: "argument 1").forOutput(ofStockCommand: isStock()))]
        }))
    metatable["__concat"] = .function(
      state.function(
        HostFunction("concat", "", [.any("left"), .any("right")]) { arguments in
          [
            .string(
              try StyledText(arguments[0], arguments, at: "left of ..").forOutput(ofStockCommand: isStock())
                + StyledText(arguments[1], arguments, at: "right of ..").forOutput(ofStockCommand: isStock()))
          ]
        }))
    return metatable
  }

  static let width = function(
    "term.width", "The number of columns of a text on a terminal. Most emoji have two columns.",
    Parameter("text", .string, "One line."), returns: .init(.integer, "The columns.")
  ) { _, arguments in [.integer(arguments.string(0).displayable.displayWidth)] }

  static let fit = function(
    "term.fit", "Makes a text exactly this wide: shortens it with … at its end, or adds spaces.",
    Parameter("text", .string, "One line. Marks replace its control characters."),
    Parameter("columns", .integer, "The width."),
    options: FitOptions.keys,
    returns: .init(.string, "The text.")
  ) { _, arguments in
    let columns = arguments[1].integer ?? 0
    guard (0...100_000).contains(columns) else {
      throw arguments.failure("argument 2: expected columns from 0 to 100000, got \(columns)")
    }
    let isRight = try FitOptions(arguments).side == "right"
    return [.string(arguments.string(0).displayable.fitted(to: Int(columns), alignedRight: isRight))]
  }

  private struct FitOptions: LuaOptions {
    var side: String?
    static let fields: [Field] = [
      .init("align", \.side, .choice(["left", "right"]), "The side of the text; left if not given.")
    ]
  }

  static let when = function(
    "term.when", "Describes a time in words: \"in 47 min\", \"3 h ago\".",
    Parameter("time", .number, in: Parameter.anyNumber, "Unix seconds."),
    .optional(
      "now", .number, in: Parameter.anyNumber,
      "The time that counts as now, in Unix seconds; the time of the call if not given."),
    returns: .init(.string, "The words.")
  ) { _, arguments in
    let seconds = arguments.number(0) - (arguments[1].number ?? Double(time(nil)))
    guard abs(seconds) >= 1 else { return [.string("now")] }
    let amount = amount(of: abs(seconds))
    return [.string(seconds > 0 ? "in \(amount)" : "\(amount) ago")]
  }

  /// Rounded, in the largest unit that is not too coarse.
  private static func amount(of seconds: Double) -> String {
    switch seconds {
    case ..<60: "\(Int(seconds)) s"
    case ..<5400: "\(Int((seconds / 60).rounded())) min"
    case ..<129_600: "\(Int((seconds / 3600).rounded())) h"
    case ..<1e13: "\(Int((seconds / 86_400).rounded())) days"
    default: "ages"
    }
  }
}
