import Glibc
import HostLoop
import Lua
import Terminal

/// What a program needs that has the whole terminal.
extension ScriptHost {
  var termSize: HostFunction {
    HostFunction(
      "term.size", "How large the terminal is that standard output leads to.", [],
      returns: [
        .init(.integer, optional: true, "Its columns; nil where it is no terminal."),
        .init(.integer, optional: true, "Its rows."),
      ]
    ) { _ in
      let size = TerminalScreen(of: STDOUT_FILENO)
      return [.integer(size?.columns), .integer(size?.rows)]
    }
  }

  var termScreen: HostFunction {
    .suspending(
      "term.screen",
      "Takes the whole terminal, in place of what it shows, until the screen is closed: local screen <close> = term.screen(). "
        + "However the script ends, the terminal is as it was before. What is printed and logged meanwhile is shown then.",
      returns: [.init(.object("screen"), "To draw on, with the keys that are pressed.")]
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
      let screen = LuaScreen(self, try await FullScreen.open(on: terminal))
      self.screen = screen
      return [.object(screen)]
    }
  }

  var termEditor: HostFunction {
    HostFunction(
      "term.editor", "A line of text that keys change: what a script draws where something is typed in.",
      [Parameter("text", .string, optional: true, "What is in it at first.")],
      returns: [.init(.object("editor"), "The line, with the cursor behind the text.")]
    ) { arguments in [.object(LuaEditor(arguments.string(0)))] }
  }
}
