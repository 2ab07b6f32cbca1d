import Automation
import HostLoop
import Lua

extension ScriptHost {
  var termOptions: HostFunction {
    HostFunction(
      "term.options",
      "Reads the script's own command line, by a declaration of it. --help prints what is declared and ends the script; "
        + "a wrong command line raises usage, with which the program ends with status 2.",
      [.options(CommandDeclaration.keys + [CommandDeclaration.taking], required: true)],
      returns: [.init(.map(of: .any), "Values by name, with _ for -, and the positions from 1.")]
    ) { [self] arguments in
      let declared = try CommandDeclaration(arguments, command: scriptName, functions: { modules.flatMap(\.functions) })
      if let onOptionsDeclared {
        onOptionsDeclared(declared)
        throw LuaError(code: Self.helpCode, message: "the declaration was asked for")
      }
      declaredOptions = declared
      guard let values = try values(of: scriptArguments, by: declared) else {
        throw LuaError(code: Self.helpCode, message: "--help was given")
      }
      return [values]
    }
  }

  /// The code of the error that ends a script when help was printed.
  static let helpCode = "help"

  /// The declaration that a stock script makes with `term.options`, at which the script ends; nil when it makes none.
  package func declaration(of script: StockScript, _ source: [UInt8]) async throws -> CommandDeclaration? {
    var declared: CommandDeclaration?
    onOptionsDeclared = { declared = $0 }
    defer { onOptionsDeclared = nil }
    try await run(source, path: script.path, arguments: ["--help"])
    return declared
  }

  /// The values of a command line by name, with _ for -, and the positions from 1. Nil where it asks for help, which is
  /// then printed.
  func values(of words: [String], by declared: CommandDeclaration) throws(LuaError) -> LuaValue? {
    let reading = try declared.read(words, hostOptions: configuration.options)
    guard !reading.isHelpWanted else {
      StandardOutput.write(declared.help(width: Console.helpWidth))
      return nil
    }
    let table = state.makeTable()
    for (name, value) in reading.values { table[name] = value }
    for (offset, word) in reading.words.enumerated() { table[.integer(Int64(offset + 1))] = .string(word) }
    return .table(table)
  }
}
