/// A plain table whose fields are known, declared once: a task, the report of an import.
package struct LuaRecord: Sendable {
  /// In words, as messages and help have it: `task`, `token response`.
  package let name: String
  /// What it is, in a sentence or a few.
  package let doc: String
  package let fields: [Parameter]
  /// What further fields hold, whose names are not known beforehand; nil where there are none.
  package let others: LuaType?

  package init(_ name: String, _ doc: String, _ fields: [Parameter], others: LuaType? = nil) {
    self.name = name
    self.doc = doc
    self.fields = fields
    self.others = others
  }
}
