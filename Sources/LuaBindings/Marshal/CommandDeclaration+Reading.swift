import Core
import HostLoop
package import Lua

extension CommandDeclaration {
  /// A command line, read by its declaration.
  struct Reading {
    var isHelpWanted = false
    var values: [String: LuaValue] = [:]
    var words: [String] = []
  }

  /// Reads the words behind the script. Throws `usage` for a word that the declaration has no place for.
  /// - Parameter hostOptions: the options of the program, which may stand behind the script by mistake.
  @HostActor
  func read(_ arguments: [String], hostOptions: Set<String>) throws(LuaError) -> Reading {
    try withCommandNamed { () throws(LuaError) in try readWords(arguments, hostOptions) }
  }

  /// Throws `usage` for positions that are missing, too many, or none of the choices.
  package func check(_ words: [String]) throws(LuaError) {
    try withCommandNamed { () throws(LuaError) in try checkPositions(words) }
  }

  /// Puts the name of the command in front of errors.
  private func withCommandNamed<Result>(_ body: () throws(LuaError) -> Result) throws(LuaError) -> Result {
    do throws(LuaError) {
      return try body()
    } catch {
      var error = error
      error.message = "\(command): \(error.message)"
      throw error
    }
  }

  @HostActor
  private func readWords(_ arguments: [String], _ hostOptions: Set<String>) throws(LuaError) -> Reading {
    var reading = Reading()
    var rest = arguments[...]
    var lists: [String: [LuaValue]] = [:]
    while let word = rest.popFirst() {
      if word == "--" {
        reading.words += rest
        break
      }
      guard word.hasPrefix("-"), word != "-", Double(word) == nil else {
        reading.words.append(word)
        continue
      }
      let name = String(word.prefix { $0 != "=" })
      let isDeclared = options.contains { $0.names.contains(name) }
      if name == "--help" || name == "-h", !isDeclared {
        reading.isHelpWanted = true
        return reading
      }
      if hostOptions.contains(name), !isDeclared {
        throw LuaError.usage(
          "unknown option \(name)", hint: "\(name) is an option of b2c-run, and stands in front of \(command)")
      }
      let (index, text) = try CommandOption.take(word, &rest, from: options, of: "b2c-run \(command)")
      let option = options[index]
      let value = if let text { try option.value(of: text, as: name) } else { LuaValue.boolean(true) }
      if option.isList { lists[option.key, default: []].append(value) } else { reading.values[option.key] = value }
    }
    for option in options where reading.values[option.key] == nil {
      let list = lists[option.key]
      reading.values[option.key] =
        if let list, option.isTaken {
          .string(list.compactMap(\.string).joined(separator: ","))
        } else if let list {
          .list(list)
        } else if option.placeholder == nil, option.fallback.isNil {
          .boolean(false)
        } else {
          option.fallback
        }
    }
    try checkPositions(reading.words)
    return reading
  }

  private func checkPositions(_ words: [String]) throws(LuaError) {
    if words.count < positions.count, !positions[words.count].isOptional {
      let position = positions[words.count]
      throw .usage("\(position.spelling) is missing: \(position.doc)")
    }
    for (position, word) in zip(positions, words) where !position.choices.isEmpty && !position.choices.contains(word) {
      let known = position.choices
      throw .usage(
        "expected \(known.count == 1 ? "" : "one of ")\(known.joined(separator: ", ")), got '\(word)'",
        hint: didYouMean(word, among: known) ?? (usage.count > 1 ? hintOfUsage : nil))
    }
    if words.count > positions.count, positions.last?.isMany != true {
      throw .usage(
        "unexpected argument '\(words[positions.count])'",
        hint: hintOfUsage)
    }
  }

  private var hintOfUsage: String { "the command is \(usageLines.joined(separator: " or "))" }
}
