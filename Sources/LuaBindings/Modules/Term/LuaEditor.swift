import HostLoop
import Lua
import Terminal

/// The line of `term.editor`.
@HostActor
final class LuaEditor: LuaObject {
  private var line: EditedLine

  init(_ text: String) { line = EditedLine(text) }

  static let luaType = HostType(
    "editor", "A line of text that is being typed.",
    properties: [
      property("text", .string, "The text of the line.") { .string($0.line.text) }
    ],
    methods: [
      method(
        "editor:press",
        "Lets a key change the line: characters, pastes, arrows, home, end, backspace, delete, and Ctrl-A, E, B, F, D, K, U, W "
          + "as shells have them.",
        [
          Parameter("key", .string, "The key, as screen:key returns it."),
          Parameter("text", .string, optional: true, "The second result of screen:key."),
        ], returns: [.init(.boolean, "True for a key of a line; false for others, such as enter and escape.")]
      ) { editor, arguments in
        [.boolean(editor.line.press(KeyPress(arguments.string(1), text: arguments[2].string)))]
      },
      method(
        "editor:view", "The part of the line around the cursor that fits.",
        [Parameter("columns", .integer, in: 0...10_000, "The width of the part.")],
        returns: [.init(.string, "The part."), .init(.integer, "The column of the cursor in it, from 1.")]
      ) { editor, arguments in
        let view = editor.line.view(columns: Int(clamping: arguments[1].integer ?? 0))
        return [.string(view.text), .integer(view.cursor)]
      },
    ],
    describe: { _ in "editor" })
}
