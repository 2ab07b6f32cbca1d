import Core
import HostLoop
import JSON
import JobProcesses
import Jobs

/// The command line that a script declares, as the arguments of a tool.
struct DeclaredOptions: Sendable {
  private struct Option: Sendable {
    let name: String
    let doc: String
    /// `switch`, `string`, `integer` or `number`.
    let type: String
    let choices: [String]
    let isMany: Bool
  }

  private struct Position: Sendable {
    let name: String
    let doc: String
    let choices: [String]
    let isOptional: Bool
    let isMany: Bool
  }

  let summary: String
  let notes: String?
  private let options: [Option]
  private let positions: [Position]

  /// - Parameter json: what `ScriptDeclaration.json` has made.
  init(_ json: JSON) {
    summary = json["summary"]?.string ?? ""
    notes = json["notes"]?.string
    options = (json["options"]?.array ?? []).map { option in
      Option(
        name: option["name"]?.string ?? "", doc: option["doc"]?.string ?? "", type: option["type"]?.string ?? "string",
        choices: option["choices"]?.array?.compactMap(\.string) ?? [], isMany: option["many"]?.bool ?? false)
    }
    positions = (json["positions"]?.array ?? []).map { position in
      let spelling = position["spelling"]?.string ?? ""
      let isMany = spelling.contains("...") || spelling.contains("…")
      let name = spelling.filter { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }.lowercased()
      return Position(
        name: name, doc: position["doc"]?.string ?? "", choices: position["choices"]?.array?.compactMap(\.string) ?? [],
        isOptional: spelling.hasPrefix("["), isMany: isMany)
    }
  }

  /// A JSON schema of the arguments. Positions have their names in lower case.
  var schema: JSON {
    var properties: [String: JSON] = [:]
    for option in options {
      properties[option.name] = Self.property(
        option.type == "switch" ? "boolean" : option.type, option.doc, option.choices, isMany: option.isMany)
    }
    for position in positions {
      properties[position.name] = Self.property("string", position.doc, position.choices, isMany: position.isMany)
    }
    var members: [String: JSON] = [
      "type": "object", "properties": .object(properties), "additionalProperties": false,
    ]
    let required = positions.filter { !$0.isOptional }.map { JSON.string($0.name) }
    if !required.isEmpty { members["required"] = .array(required) }
    return .object(members)
  }

  private static func property(_ type: String, _ doc: String, _ choices: [String], isMany: Bool) -> JSON {
    var value: [String: JSON] = ["type": .string(type)]
    if !choices.isEmpty { value["enum"] = .array(choices.map(JSON.string)) }
    if !isMany {
      value["description"] = .string(doc)
      return .object(value)
    }
    return ["type": "array", "items": .object(value), "maxItems": 200, "description": .string(doc)]
  }

  /// The words behind the script. Each value stays one word behind its option or behind `--`, so that no value becomes an option.
  func words(_ arguments: [String: JSON]) throws(ToolError) -> [String] {
    var words: [String] = []
    for option in options {
      guard let value = arguments[option.name] else { continue }
      for value in option.isMany ? value.array ?? [] : [value] {
        if option.type == "switch" {
          if value == true { words.append("--\(option.name)") }
        } else {
          words.append("--\(option.name)=\(try Self.word(value, option.name))")
        }
      }
    }
    words.append("--")
    var isAtEnd = false
    for position in positions {
      guard let value = arguments[position.name] else {
        isAtEnd = true
        continue
      }
      guard !isAtEnd else { throw ToolError("usage", "\(position.name): an argument before it is missing") }
      for value in position.isMany ? value.array ?? [] : [value] { words.append(try Self.word(value, position.name)) }
    }
    return words
  }

  private static func word(_ value: JSON, _ name: String) throws(ToolError) -> String {
    let text: String
    switch value {
    case .string(let string): text = string
    case .integer(let integer): text = String(integer)
    case .number(let number): text = Int64(exactly: number).map(String.init) ?? String(number)
    default: throw ToolError("usage", "\(name): expected a text or a number")
    }
    // A word of a command line ends at a NUL: the rest would be lost.
    guard !text.utf8.contains(0) else { throw ToolError("usage", "\(name): a NUL cannot be passed on") }
    guard text.utf8.count <= 100_000 else { throw ToolError("usage", "\(name): expected at most 100,000 bytes") }
    return text
  }
}

extension ToolRunner {
  /// Reads the command line that a script declares, in a process that may do nothing else. Nil for a script that declares none.
  func declaredOptions(of script: String, in folder: String) async throws -> DeclaredOptions? {
    try await gate.pass { () -> DeclaredOptions? in
      var answer: Result<DeclarationMessage, any Error>?
      var limits = limits
      limits.seconds = 10
      let process = try ToolProcess(
        program, ["--log-level", "error", script], in: folder, limits, purpose: .options,
        onMessage: { message in answer = answer ?? Result { try DeclarationMessage(message) } })
      _ = try await process.run()
      switch try answer?.get() {
      case .declared(let json)?: return DeclaredOptions(json)
      case .failed(let problem)?: throw ToolError("bad_tool", problem.message, hint: problem.hint)
      case DeclarationMessage.none?, nil: return nil
      }
    }
  }
}
