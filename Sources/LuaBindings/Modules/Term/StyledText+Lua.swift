import Core
import Glibc
import HostLoop
import Lua
import Terminal

/// Styled text in Lua is a table, `{ "text", style = "bold red" }`, as `term.style` makes it.
extension StyledText {
  /// - Parameter place: begins the message about a value that is no text.
  @HostActor
  init(_ value: LuaValue, _ arguments: Arguments, at place: @autoclosure () -> String) throws(LuaError) {
    if let table = value.table, let words = table["style"].string, let text = Self.text(table[.integer(1)]) {
      self.init(text, try TextStyle(words, arguments, at: place()))
    } else if let text = Self.text(value) {
      self.init(text)
    } else {
      let got = value.table == nil ? value.typeName : "a table without style"
      throw arguments.failure("\(place()): expected a text, or { \"text\", style = \"bold\" }, got \(got)")
    }
  }

  @HostActor private static func text(_ value: LuaValue) -> String? {
    switch value {
    case .integer(let number): "\(number)"
    case .number(let number): LuaNumber.text(number)
    default: value.string
    }
  }

  /// As standard output gets it: in its style on a terminal, as it is elsewhere.
  var forOutput: String {
    isatty(STDOUT_FILENO) == 1
      ? style.applied(to: text.displayable, usesColor: TerminalScreen.isColorWanted) : text
  }
}

extension TextStyle {
  @HostActor
  init(_ words: String, _ arguments: Arguments, at place: @autoclosure () -> String) throws(LuaError) {
    do throws(UnknownStyle) { try self.init(words) } catch {
      throw arguments.failure("\(place()): \(error.message)", hint: error.hint)
    }
  }
}

extension [StyledText] {
  /// A line: a text, styled or not, or a list of such pieces.
  @HostActor
  init(line value: LuaValue, number: Int, _ arguments: Arguments) throws(LuaError) {
    guard let table = value.table, table["style"].isNil else {
      self = [try StyledText(value, arguments, at: "line \(number)")]
      return
    }
    self = []
    for (offset, piece) in table.elements.enumerated() {
      append(try StyledText(piece, arguments, at: "line \(number), piece \(offset + 1)"))
    }
  }
}
