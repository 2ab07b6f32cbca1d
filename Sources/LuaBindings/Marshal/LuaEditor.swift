import HostLoop
import Lua
import Terminal

/// What `term.editor` returns.
@HostActor
final class LuaEditor: LuaObject {
  private var line: EditedLine

  init(_ text: String) { line = EditedLine(text) }

  private static let this = Parameter("self", .object("editor"))

  static let luaType = HostType(
    "editor", "A line of text that is being typed.",
    properties: [
      HostType.Property("text", .string, "What is in it.", of: LuaEditor.self) { editor, _ in .string(editor.line.text)
      }
    ],
    methods: [
      HostFunction(
        "editor:press",
        "Lets a key change the line: characters, pastes, arrows, home, end, backspace, delete, and Ctrl-A, E, B, F, D, K, U, W "
          + "as shells have them.",
        [
          this, Parameter("key", .string, "As screen:key gives it."),
          Parameter("text", .string, optional: true, "Its second result."),
        ], returns: [.init(.boolean, "Whether the key means something in a line; enter and escape do not.")]
      ) { arguments in
        let editor: LuaEditor = try arguments.object(0)
        return [.boolean(editor.line.press(KeyPress(arguments.string(1), text: arguments[2].string)))]
      },
      HostFunction(
        "editor:view", "The part of the line around the cursor that fits.",
        [this, Parameter("columns", .integer, in: 0...10_000, "How wide it may be.")],
        returns: [.init(.string, "The part."), .init(.integer, "The column of the cursor in it, from 1.")]
      ) { arguments in
        let editor: LuaEditor = try arguments.object(0)
        let view = editor.line.view(columns: Int(clamping: arguments[1].integer ?? 0))
        return [.string(view.text), .integer(view.cursor)]
      },
    ],
    describe: { _ in "editor" })
}
