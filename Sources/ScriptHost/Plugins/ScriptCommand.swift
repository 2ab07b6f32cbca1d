import Automation
import CommandLine
import Files
import HostLoop
import Lua
import LuaKit

/// A command that `b2c-run NAME` runs.
package enum ScriptCommand: Sendable {
  /// A script that ships with the program.
  case stock(StockScript)
  case plugin(PluginCommand)

  /// A sentence about the command.
  package var summary: String {
    switch self {
    case .stock(let script): script.summary
    case .plugin(let command): command.options.declaration.summary
    }
  }
}

/// A command of a plugin: its command line, declared as to `term.options`, and its function.
package struct PluginCommand: Sendable {
  let name: String
  let file: PluginFile
  let options: ScriptDeclaration
  /// True if the command line is declared. Otherwise the function gets the words as in `b2c.args`.
  let isDeclared: Bool
  let function: LuaFunction

  /// Reads the declaration. Throws for one that makes no sense, naming the entry.
  @HostActor init(_ name: String, _ declaration: Arguments, _ file: PluginFile) throws(LuaError) {
    self.name = name
    self.file = file
    options = try ScriptDeclaration(declaration, command: name)
    isDeclared = ["options", "positions", "usage"].contains { !declaration[$0].isNil }
    guard let function = declaration["run"].function else { throw declaration.failure("'run' is missing") }
    self.function = function
  }

  /// The text that `b2c-run NAME --help` prints.
  @HostActor var help: String {
    let declaration = options.declaration
    if isDeclared { return declaration.help(width: Console.helpWidth) }
    return "\(declaration.summary)\n\n  b2c-run \(name) [args]\n" + (declaration.notes.map { "\n\($0)\n" } ?? "")
  }
}

/// A script that ships with the program and is run by its name: `b2c-run sign-in`.
package struct StockScript: Sendable {
  package let name: String
  package let path: String

  /// All stock scripts, sorted by name.
  package static func all(in folder: String) -> [StockScript] {
    let files = (try? FileSystem.names(in: folder)) ?? []
    return files.filter { $0.hasSuffix(".lua") }.sorted()
      .map { StockScript(name: String($0.dropLast(4)), path: "\(folder)/\($0)") }
  }

  /// The first line of its first comment.
  package var summary: String {
    guard let bytes = try? FileSystem.contents(of: path) else { return "" }
    return String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }.drop { $0 == "-" || $0 == " " }.description
  }
}
