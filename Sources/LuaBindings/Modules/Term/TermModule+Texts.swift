import Core
import Glibc
import HostLoop
import Lua
import Terminal

/// The functions for texts on a terminal.
extension TermModule {
  var style: HostFunction {
    HostFunction(
      "term.style",
      "A text in a style, for print, term.table and screen:draw. If standard output is not a terminal, tostring gives the "
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

  func makeStyleMetatable(_ state: LuaState) -> LuaTable {
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

  var width: HostFunction {
    HostFunction(
      "term.width", "The number of columns that a text takes on a terminal: two for emoji and the like.",
      [Parameter("text", .string, "One line.")], returns: [.init(.integer, "The columns.")]
    ) { arguments in [.integer(arguments.string(0).displayable.displayWidth)] }
  }

  var fit: HostFunction {
    HostFunction(
      "term.fit", "Makes a text this wide: cuts it off with … at its end, or fills it up with spaces.",
      [
        Parameter("text", .string, "One line; control characters in it become marks."),
        Parameter("columns", .integer, "The width."),
        .options([
          Parameter("align", .choice(["left", "right"]), optional: true, "The side of the text; left if not given.")
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

  var when: HostFunction {
    HostFunction(
      "term.when", "A time in words: \"in 47 min\", \"3 h ago\".",
      [
        Parameter("time", .number, in: Parameter.anyNumber, "Unix seconds."),
        Parameter(
          "now", .number, optional: true, in: Parameter.anyNumber,
          "The time that counts as now, in Unix seconds; the time of the call if not given."),
      ], returns: [.init(.string, "The words.")]
    ) { arguments in
      let seconds = arguments.number(0) - (arguments[1].number ?? Double(time(nil)))
      guard abs(seconds) >= 1 else { return [.string("now")] }
      let amount = Self.amount(of: abs(seconds))
      return [.string(seconds > 0 ? "in \(amount)" : "\(amount) ago")]
    }
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
