/// A parameter of a host function, or a key of an options table.
package struct Parameter: Sendable {
  package let name: String
  package let type: LuaType
  package let isOptional: Bool
  package let doc: String

  package init(_ name: String, _ type: LuaType, optional isOptional: Bool = false, _ doc: String = "") {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.doc = doc
  }

  /// A parameter that takes everything, nothing included.
  package static func any(_ name: String, _ doc: String = "") -> Parameter {
    Parameter(name, .any, optional: true, doc)
  }

  /// A last table of options; an unknown key is an error that names the nearest known one.
  package static func options(_ keys: [Parameter], required: Bool = false, _ doc: String = "") -> Parameter {
    Parameter("options", .options(keys), optional: !required, doc)
  }
}
