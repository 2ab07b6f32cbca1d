import Automation
import CommandLine
import HostLoop
import Lua
import LuaKit
import Permissions
import Terminal

/// The command line of the script that runs: `b2c.args`, and `term.options`.
@HostActor
final class ScriptCommandLine {
  /// The code of the error that ends a script when help was printed.
  static let helpCode = "help"

  let run: ScriptRun
  private let state: LuaState
  /// `b2c.args`: a plain table, with positions from 1, and `--name=value` by name (`--name` alone is true). At 0 is the
  /// script's path, as in the standalone `lua`.
  private(set) lazy var args = state.makeTable()
  /// The name of the script in messages: its path, or the name of a stock script.
  private(set) var name = ""
  private var words: [String] = []
  private(set) var declared: ScriptDeclaration?
  /// Gets the declaration that the script makes, at which the script ends.
  private var onDeclared: ((ScriptDeclaration) -> Void)?

  init(_ run: ScriptRun, _ state: LuaState) {
    self.run = run
    self.state = state
  }

  func begin(_ name: String, path: String, _ words: [String]) {
    self.name = name
    self.words = words
    declared = nil
    run.session.permissions.start.words = words
    for pair in (try? args.pairs) ?? [] { args[pair.key] = .nil }
    args[.integer(0)] = .path(path)
    var position: Int64 = 0
    var namesEnded = false
    for word in words {
      if word == "--", !namesEnded {
        namesEnded = true
      } else if word.hasPrefix("--"), !namesEnded {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        args[String(parts[0])] = parts.count == 2 ? .path(String(parts[1])) : .boolean(true)
      } else {
        position += 1
        args[.integer(position)] = .path(word)
      }
    }
  }

  /// - Parameter functions: all functions of `b2c`, among which an option's function is looked up.
  func options(_ functions: @escaping @HostActor @Sendable () -> [HostFunction]) -> HostFunction {
    HostFunction(
      "term.options",
      "Reads the script's command line as declared. --help prints the declaration and ends the script. A wrong "
        + "command line raises the error usage. If the error is not caught, the exit status is 2.",
      [.options(ScriptDeclaration.keys + [ScriptDeclaration.taking], required: true)],
      returns: [
        .init(.map(of: .any), "The values of options by name, with _ for -, and the positional arguments from 1.")
      ]
    ) { [self] arguments in
      let declaration = try ScriptDeclaration(arguments, command: name, functions: functions)
      if let onDeclared {
        onDeclared(declaration)
        throw LuaError(code: Self.helpCode, message: "the script has declared its command line")
      }
      declared = declaration
      guard let values = try values(of: words, by: declaration) else {
        throw LuaError(code: Self.helpCode, message: "--help was given")
      }
      return [values]
    }
  }

  /// The declaration that a script makes while `run` runs it; nil when it makes none.
  func declaration(_ run: () async throws -> Void) async throws -> ScriptDeclaration? {
    var found: ScriptDeclaration?
    onDeclared = { found = $0 }
    defer { onDeclared = nil }
    try await run()
    return found
  }

  /// The values by name, with _ for -, and the positions from 1. Prints the help and returns nil for `--help`.
  func values(of words: [String], by declared: ScriptDeclaration) throws(LuaError) -> LuaValue? {
    let reading: ScriptDeclaration.Reading
    do { reading = try declared.read(words, hostOptions: run.configuration.options()) } catch { throw LuaError(error) }
    guard !reading.isHelpWanted else {
      StandardOutput.write(declared.declaration.help(width: Console.helpWidth))
      return nil
    }
    let table = state.makeTable()
    for (name, value) in reading.values { table[name] = value }
    for (offset, word) in reading.words.enumerated() { table[.integer(Int64(offset + 1))] = .path(word) }
    return .table(table)
  }

  /// Warns of options of the program behind the script, where they are arguments of the script. A script that declares its
  /// command line (`term.options`) refuses them itself, and the source of one that takes an option has its name in it.
  func warnOfMisplacedOptions(_ words: [String], behind path: String, _ source: [UInt8]) {
    guard words.contains(where: { $0.hasPrefix("-") }) else { return }
    let names = words.prefix { $0 != "--" }.map { String($0.prefix { $0 != "=" }) }.filter(
      run.configuration.options().contains)
    guard !names.isEmpty, !source.contains(Array("term.options".utf8)) else { return }
    var told: Set<String> = []
    for name in names where told.insert(name).inserted && !Self.reads(source, String(name.dropFirst(2))) {
      run.session.console.log(
        .warn,
        "\(name) after \(path) is an argument of the script; write options of b2c-run before the script: b2c-run "
          + "\(name) … \(path)")
    }
  }

  /// Returns whether the source contains `args.NAME`, or a string that ends with the name.
  private static func reads(_ source: [UInt8], _ name: String) -> Bool {
    let key = name.replacing("-", with: "_")
    return [".\(key)", "\(name)\"", "\(name)'", "\(key)\"", "\(key)'"].contains { source.contains(Array($0.utf8)) }
  }
}
