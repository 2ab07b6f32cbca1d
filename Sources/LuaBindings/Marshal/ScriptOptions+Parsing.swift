import Core
import HostLoop
import Lua

extension ScriptOptions {
  /// A command line, read by its declaration.
  struct Parsed {
    var isHelpWanted = false
    var values: [String: LuaValue] = [:]
    var words: [String] = []
  }

  /// Reads the words behind the script. Throws `usage` for what the declaration has no place for.
  /// - Parameter hostOptions: those of the program, which may have got behind the script by mistake.
  func parse(_ arguments: [String], hostOptions: Set<String>) throws(LuaError) -> Parsed {
    var parsed = Parsed()
    var rest = arguments[...]
    var lists: [String: [LuaValue]] = [:]
    while let word = rest.popFirst() {
      if word == "--" {
        parsed.words += rest
        break
      }
      guard word.hasPrefix("-"), word != "-", Double(word) == nil else {
        parsed.words.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts[0] == "--help" || parts[0] == "-h", option(parts[0]) == nil {
        parsed.isHelpWanted = true
        return parsed
      }
      guard let option = option(parts[0]) else { throw unknown(parts[0], hostOptions) }
      let value = try value(of: option, as: parts[0], parts.count == 2 ? parts[1] : nil, &rest)
      if option.isList { lists[option.key, default: []].append(value) } else { parsed.values[option.key] = value }
    }
    for (key, list) in lists { parsed.values[key] = .list(list) }
    for option in options where parsed.values[option.key] == nil {
      let isAbsent = option.fallback.isNil && option.placeholder == nil
      parsed.values[option.key] = isAbsent ? .boolean(false) : option.fallback
    }
    try checkPositions(parsed.words)
    return parsed
  }

  private func option(_ word: String) -> Option? {
    options.first { "--\($0.name)" == word || $0.letter.map { "-\($0)" == word } ?? false }
  }

  private func value(
    of option: Option, as word: String, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(LuaError) -> LuaValue {
    guard let placeholder = option.placeholder else {
      if attached != nil { throw failure("\(word) takes no value") }
      return .boolean(true)
    }
    guard let text = attached ?? rest.popFirst() else { throw failure("\(word): expected \(placeholder) behind it") }
    if !option.choices.isEmpty, !option.choices.contains(text) {
      throw failure(
        "\(word): expected one of \(option.choices.joined(separator: ", ")), got '\(text)'",
        hint: didYouMean(text, among: option.choices))
    }
    switch option.type {
    case .string: return .string(text)
    case .integer:
      guard let number = Int64(text) else { throw failure("\(word): expected a whole number, got '\(text)'") }
      return .integer(number)
    case .number:
      guard let number = Double(text), number.isFinite else {
        throw failure("\(word): expected a number, got '\(text)'")
      }
      return Int64(text).map { .integer($0) } ?? .number(number)
    }
  }

  private func checkPositions(_ words: [String]) throws(LuaError) {
    if words.count < positions.count, !positions[words.count].isOptional {
      let position = positions[words.count]
      throw failure("\(position.spelling) is missing: \(position.doc)")
    }
    for (position, word) in zip(positions, words) where !position.choices.isEmpty && !position.choices.contains(word) {
      let known = position.choices
      throw failure(
        "expected \(known.count == 1 ? "" : "one of ")\(known.joined(separator: ", ")), got '\(word)'",
        hint: didYouMean(word, among: known))
    }
    if words.count > positions.count, positions.last?.isMany != true {
      throw failure(
        "unexpected argument '\(words[positions.count])'",
        hint: "the command is \(usageLines.joined(separator: " or "))")
    }
  }

  private func unknown(_ word: String, _ hostOptions: Set<String>) -> LuaError {
    if hostOptions.contains(word) {
      return failure(
        "unknown option \(word)", hint: "\(word) is an option of b2c-run, and stands in front of \(command)")
    }
    let known = options.map { "--\($0.name)" } + ["--help"]
    return failure(
      "unknown option \(word)",
      hint: nearestName(to: word, in: known).map { "did you mean \($0)?" } ?? "b2c-run \(command) --help lists them")
  }

  private func failure(_ message: String, hint: String? = nil) -> LuaError {
    LuaError(code: "usage", message: "\(command): \(message)", hint: hint)
  }
}
