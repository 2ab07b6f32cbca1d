import Core
import HostLoop
import Lua
import Terminal

/// Texts as a terminal shows them.
extension ScriptHost {
  var termStyle: HostFunction {
    HostFunction(
      "term.style",
      "A text in a style, for print, term.table and screen:draw. Where standard output is no terminal, tostring gives the "
        + "text alone; NO_COLOR leaves the colors out.",
      [
        Parameter("text", .either([.string, .number]), "One line; control characters in it are shown as marks."),
        Parameter(
          "style", .string,
          "Words with spaces between: bold, dim, italic, underline, reverse; black, red, green, yellow, blue, magenta, cyan, "
            + "white, gray; on_red and so on for the background."),
      ], returns: [.init(.table, "{ text, style = style }, which tostring and .. make a string of.")]
    ) { [self] arguments in
      _ = try TextStyle(arguments.string(1), arguments, at: "argument 2")
      let table = arguments.state.makeTable()
      table[.integer(1)] = arguments[0]
      table["style"] = arguments[1]
      table.metatable = styleMetatable
      return [.table(table)]
    }
  }

  func makeStyleMetatable() -> LuaTable {
    let metatable = state.makeTable()
    metatable["__tostring"] = .function(
      state.function(
        HostFunction("tostring", "", [.any("text")]) { arguments in
          [.string(try StyledText(arguments[0], arguments, at: "argument 1").forOutput)]
        }))
    metatable["__concat"] = .function(
      state.function(
        HostFunction("concat", "", [.any("left"), .any("right")]) { arguments in
          [
            .string(
              try StyledText(arguments[0], arguments, at: "left of ..").forOutput
                + StyledText(arguments[1], arguments, at: "right of ..").forOutput)
          ]
        }))
    return metatable
  }

  var termWidth: HostFunction {
    HostFunction(
      "term.width", "How many columns a text takes on a terminal: two for emoji and the like.",
      [Parameter("text", .string, "One line.")], returns: [.init(.integer, "The columns.")]
    ) { arguments in [.integer(arguments.string(0).displayable.displayWidth)] }
  }

  var termFit: HostFunction {
    HostFunction(
      "term.fit", "Makes a text as wide as this: cut off with … at its end, or filled up with spaces.",
      [
        Parameter("text", .string, "One line; control characters in it become marks."),
        Parameter("columns", .integer, "How wide to make it."),
        .options([
          Parameter("align", .choice(["left", "right"]), optional: true, "Where the text goes; left if not given.")
        ]),
      ], returns: [.init(.string, "The text.")]
    ) { arguments in
      let columns = arguments[1].integer ?? 0
      guard (0...100_000).contains(columns) else {
        throw arguments.failure("argument 2: expected columns from 0 to 100000, got \(columns)")
      }
      let isRight = arguments["align"].string == "right"
      return [.string(arguments.string(0).displayable.fitted(to: Int(columns), alignedRight: isRight))]
    }
  }
}
