import Automation
import HostLoop
import Lua

extension ScriptHost {
  var termOptions: HostFunction {
    HostFunction(
      "term.options",
      "Reads the script's own command line, by a declaration of it. --help prints what is declared and ends the script; "
        + "what is wrong raises usage, with which the program ends with status 2.",
      [.options(ScriptOptions.keys, required: true)],
      returns: [.init(.map(of: .any), "Values by name, with _ for -, and the positions from 1.")]
    ) { [self] arguments in
      let declared = try ScriptOptions(arguments, command: scriptName)
      if let onOptionsDeclared {
        onOptionsDeclared(declared)
        throw LuaError(code: Self.helpCode, message: "the declaration was asked for")
      }
      guard let values = try values(of: scriptArguments, by: declared) else {
        throw LuaError(code: Self.helpCode, message: "--help was given")
      }
      return [values]
    }
  }

  /// The code of what is raised when help was printed, and all is done.
  static let helpCode = "help"

  /// What a stock script declares to `term.options`, at which it ends; nil when it declares nothing.
  package func declaredOptions(of source: [UInt8], path: String) async throws -> ScriptOptions? {
    var declared: ScriptOptions?
    onOptionsDeclared = { declared = $0 }
    defer { onOptionsDeclared = nil }
    try await run(source, path: path, arguments: ["--help"])
    return declared
  }

  /// What a command line says, by its declaration: values by name, with _ for -, and the positions from 1. Nil where it
  /// asks for help, which has been printed then.
  func values(of words: [String], by declared: ScriptOptions) throws(LuaError) -> LuaValue? {
    let parsed = try declared.parse(words, hostOptions: configuration.options)
    guard !parsed.isHelpWanted else {
      StandardOutput.write(declared.help)
      return nil
    }
    let table = state.makeTable()
    for (name, value) in parsed.values { table[name] = value }
    for (offset, word) in parsed.words.enumerated() { table[.integer(Int64(offset + 1))] = .string(word) }
    return .table(table)
  }
}
