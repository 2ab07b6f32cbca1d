/// A plain table whose fields are known, declared once: a task, the report of an import.
package struct LuaRecord: Sendable {
  /// In words, as messages and help have it: `task`, `token response`.
  package let name: String
  /// A sentence or a few about the record.
  package let doc: String
  package let fields: [Parameter]
  /// The type of further fields, whose names are not known beforehand; nil where there are none.
  package let others: LuaType?

  package init(_ name: String, _ doc: String, _ fields: [Parameter], others: LuaType? = nil) {
    self.name = name
    self.doc = doc
    self.fields = fields
    self.others = others
  }
}

extension LuaRecord {
  /// The error object that scripts see, as `LuaState` makes it of a `LuaError`.
  package static let error = LuaRecord(
    "error", "A raised error, as pcall returns it. tostring returns where and message in one line.",
    [
      Parameter("code", .string, "A stable code, such as no_account, timeout, AADB2C90118."),
      Parameter("message", .string, "The message, a sentence."),
      Parameter("hint", .string, optional: true, "The remedy."),
      Parameter("status", .integer, optional: true, "The HTTP status."),
      Parameter("retryable", .boolean, "True if another attempt may succeed."),
      Parameter("retry_after", .number, optional: true, "The seconds that the server asked to wait."),
      Parameter("details", .map(of: .string), "Further data, by name."),
      Parameter("call", .string, optional: true, "The function whose option or argument is wrong."),
      Parameter("option", .string, optional: true, "The name of the wrong option."),
      Parameter("argument", .integer, optional: true, "The position of the wrong argument, from 1."),
      Parameter("problem", .string, optional: true, "The problem with the option or the argument, without its name."),
      Parameter("where", .string, optional: true, "The script and the line: import.lua:12."),
      Parameter("traceback", .string, optional: true, "The calls that led to the error."),
    ])
}
