import Lua

/// The records of a `LuaPage`.
extension LuaRecord {
  static let form = LuaRecord(
    "form", "A form of a page.",
    [
      Parameter("id", .string, optional: true, "The ID."), Parameter("name", .string, optional: true, "The name."),
      Parameter("action", .string, "The URL of the form."), Parameter("method", .string, "The method of the form."),
      Parameter("fields", .list(of: .record(field)), "The fields of the form."),
      Parameter("buttons", .list(of: .record(button)), "The buttons that submit the form."),
    ])

  static let field = LuaRecord(
    "form field", "A field of a form.",
    [
      Parameter("name", .string, "The name."), Parameter("id", .string, optional: true, "The ID."),
      Parameter("type", .string, "The type, such as text, password, hidden."),
      Parameter("value", .string, "The present value."),
      Parameter("label", .string, optional: true, "The label on the page."),
      Parameter("checked", .boolean, "True if the box is checked."),
      Parameter("options", .list(of: .string), "The choices of a list."),
    ])

  static let button = LuaRecord(
    "button", "A button of a form.",
    [
      Parameter("name", .string, optional: true, "The name."), Parameter("id", .string, optional: true, "The ID."),
      Parameter("value", .string, "The value that the button sends."), Parameter("label", .string, "The label."),
    ])

  static let link = LuaRecord(
    "link", "A link of a page.",
    [
      Parameter("url", .string, "The URL of the link."), Parameter("text", .string, "The text of the link."),
      Parameter("id", .string, optional: true, "The ID."),
    ])
}
