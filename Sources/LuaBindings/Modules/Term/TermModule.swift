import Automation
import Glibc
import HostLoop
import Lua
import Terminal

/// `b2c.term`
final class TermModule: LuaModule {
  let console: Console
  private let state: LuaState
  /// `term.options`
  private let options: HostFunction
  /// The open screen of `term.screen`.
  private var screen: LuaScreen?
  private(set) lazy var styleMetatable = makeStyleMetatable(state)

  init(_ console: Console, _ state: LuaState, options: HostFunction) {
    self.console = console
    self.state = state
    self.options = options
  }

  var module: HostModule {
    HostModule(
      "term", "The terminal, and the script's own command line.",
      notes: """
        `term.prompt`, `term.confirm` and `term.password` ask at the terminal, also if standard input is a pipe. Without a
        terminal they raise `no_terminal`, at its end (Ctrl-D) `no_input`. The echo of the terminal is on again afterwards,
        however the script ends.
        """,
      example: """
        local term = require "b2c.term"

        local options = term.options {
          summary = "Greets people.",
          positions = { { "[NAME...]", "whom to greet" } },
          options = {
            { "--greeting TEXT", "what to say", default = "Hello" },
            { "--times N", "how often", type = "integer", default = 1 },
            { "--dry-run", "only say what would be done" },
          },
        }
        for i = 1, #options do
          for _ = 1, options.dry_run and 0 or options.times do print(options.greeting .. ", " .. options[i]) end
        end
        """,
      [
        progress, table, options, prompt, confirm, password, when, size, style, width, fit, openScreen, editor,
        .question("term.is_tty", "Tells whether standard output is a terminal.") { [isTerminal = isatty(1) == 1] in
          isTerminal
        },
      ])
  }

  private var progress: HostFunction {
    HostFunction(
      "term.progress", "Shows progress on standard error: a bar on a terminal, nothing elsewhere.",
      [
        .options([
          Parameter("total", .integer, optional: true, "The amount of work; without it, a count is shown."),
          Parameter("label", .string, optional: true, "The text in front of the bar."),
        ])
      ], returns: [.init(.object("progress"), "The bar. It goes with :finish(), or as a <close> variable.")],
      example: """
        local progress <close> = b2c.term.progress { total = 3, label = "Counting" }
        for i = 1, 3 do progress:update(i) end
        """
    ) { [console] arguments in
      let total = arguments["total"].integer
      if let total, total < 0 { throw arguments.failure(option: "total", "expected zero or more, got \(total)") }
      return [.object(Progress(console, label: arguments["label"].string ?? "", total: total.map { Int($0) }))]
    }
  }

  private var table: HostFunction {
    HostFunction(
      "term.table", "Prints rows as a table with aligned columns.",
      [
        Parameter("rows", .list(of: .table), "The rows. Each row is a list of cells, or a table by column name."),
        .options([
          Parameter("columns", .list(of: .string), optional: true, "The columns to show, in order."),
          Parameter(
            "shorten", .string, optional: true,
            "The column that is cut off if the terminal is too narrow for all of them."),
        ]),
      ],
      example: """
        b2c.term.table({ { id = 1, text = "Buy milk" }, { id = 2, text = "日本" } }, { columns = { "id", "text" } })
        """
    ) { arguments in
      StandardOutput.write(try TextTable(arguments).text)
      return []
    }
  }

  private var size: HostFunction {
    HostFunction(
      "term.size", "The size of the terminal that standard output leads to.", [],
      returns: [
        .init(.integer, optional: true, "The columns; nil without a terminal."),
        .init(.integer, optional: true, "The rows; nil without a terminal."),
      ]
    ) { _ in
      let size = TerminalScreen(of: STDOUT_FILENO)
      return [.integer(size?.columns), .integer(size?.rows)]
    }
  }

  private var openScreen: HostFunction {
    .suspending(
      "term.screen",
      "Takes the whole terminal until the screen is closed: local screen <close> = term.screen(). Afterwards, however the "
        + "script ends, the terminal is as it was before. Output and log lines appear then.",
      returns: [.init(.object("screen"), "The screen: it draws lines and reads keys.")]
    ) { [self] arguments in
      let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
      guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, !isDumb, let terminal = ControllingTerminal.shared
      else {
        throw LuaError(
          code: "no_terminal", message: "\(arguments.function.name): there is no terminal to draw on",
          hint: isDumb
            ? "the terminal can do no more than a typewriter, as TERM says"
            : "run the script on a terminal, with neither its input nor its output going elsewhere")
      }
      guard screen == nil else {
        throw LuaError(
          code: "screen_open", message: "\(arguments.function.name): there is a screen already",
          hint: "close it before, for example by declaring it with <close>")
      }
      let screen = LuaScreen(try await FullScreen.open(on: terminal), console) { [self] in self.screen = nil }
      self.screen = screen
      return [.object(screen)]
    }
  }

  /// Restores the terminal if a call has left a screen open.
  func closeScreen() { screen?.close() }

  private var editor: HostFunction {
    HostFunction(
      "term.editor", "A line of text that keys change, for scripts that draw an input field.",
      [Parameter("text", .string, optional: true, "The text at first.")],
      returns: [.init(.object("editor"), "The line, with the cursor behind the text.")]
    ) { arguments in [.object(LuaEditor(arguments.string(0)))] }
  }
}
