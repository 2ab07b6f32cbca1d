import CommandLine
import HostLoop
package import JSON
import Lua

extension ScriptDeclaration {
  /// The command line for programs that make one: its options with their types, and its positions.
  @HostActor package var json: JSON {
    let positions = declaration.positions.map { position -> JSON in
      [
        "spelling": .string(position.spelling), "doc": .string(position.doc),
        "choices": .array(position.choices.map(JSON.string)),
      ]
    }
    return [
      "summary": .string(declaration.summary), "notes": declaration.notes.map(JSON.string) ?? .null,
      "options": .array(options.map(\.json)), "positions": .array(positions),
    ]
  }
}

extension ScriptOption {
  @HostActor fileprivate var json: JSON {
    [
      "name": .string(option.name), "doc": .string(option.described), "type": .string(typeName),
      "choices": .array(option.isOpen ? [] : option.choices.map(JSON.string)), "many": .bool(isList && !isTaken),
    ]
  }

  /// `switch` for an option without a value.
  @HostActor private var typeName: String {
    if option.placeholder == nil { return "switch" }
    if parameter.type.accepts(.path("")) { return "string" }
    return parameter.type.accepts(.number(0.5)) ? "number" : parameter.type.accepts(.integer(1)) ? "integer" : "string"
  }
}
