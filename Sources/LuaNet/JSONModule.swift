package import Lua
package import LuaKit

/// `b2c.json`
package struct JSONModule: LuaModule {
  let json: JSONMarshal

  package init(_ context: ScriptContext) { json = context.json }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "json", "JSON text and Lua values.",
      example: """
        local json = require "b2c.json"

        local value = json.decode '{"name": "Ada", "tags": [], "born": null}'
        assert(value.born == json.null)
        assert(json.encode(value) == '{"born":null,"name":"Ada","tags":[]}')
        """, functions, fields: [Parameter("null", .object("null"), "The Lua value for JSON's null.")],
      field: { name, _ in name == "null" ? .object(JSONNull.shared) : .nil })
  }

  package static let functions: [ModuleFunction<Self>] = [
    function(
      "json.encode",
      "Writes a value as JSON. A table becomes an array if it is a sequence, or if json.array has marked it.",
      .any("value", "The value."), options: EncodeOptions.keys,
      returns: .init(.string, "The JSON text, with sorted keys.")
    ) { module, arguments in
      [.bytes(try module.json.text(arguments[0], at: arguments.place(0), pretty: EncodeOptions(arguments).isPretty))]
    },
    function(
      "json.decode", "Reads JSON text. Null becomes json.null, and an empty array stays an array.",
      Parameter("text", .string, "The text."), returns: .init(.any, "The value.")
    ) { module, arguments in
      guard case .bytes(var text) = arguments[0] else { return [.nil] }
      return [try module.json.value(parsing: &text)]
    },
    function(
      "json.array", "Marks a table as an array, so that json.encode writes an array even for an empty table.",
      .optional("table", .table, "The table; a new table if not given."),
      returns: .init(.table, "The same table, or a new one.")
    ) { module, arguments in
      let table = arguments[0].table ?? arguments.state.makeTable()
      // As in setmetatable: the tables of the API stay as they are.
      guard table.metatable?["__metatable"].isNil ?? true else {
        throw arguments.failure(
          "argument 1: the metatable of the table is protected", hint: "copy the values to a new table")
      }
      table.metatable = module.json.arrayMetatable
      return [.table(table)]
    },
  ]

  private struct EncodeOptions: LuaOptions {
    var isPretty = false
    static let fields: [Field] = [.init("pretty", \.isPretty, "Write indented lines.")]
  }
}
