import Lua

/// The records of a `LuaPage`.
extension LuaRecord {
  static let form = LuaRecord(
    "form", "A form of a page.",
    [
      Parameter("id", .string, optional: true, "Its id."), Parameter("name", .string, optional: true, "Its name."),
      Parameter("action", .string, "Where it is sent."), Parameter("method", .string, "How it is sent."),
      Parameter("fields", .list(of: .record(field)), "What is to be filled in."),
      Parameter("buttons", .list(of: .record(button)), "What submits it."),
    ])

  static let field = LuaRecord(
    "form field", "A field of a form.",
    [
      Parameter("name", .string, "Its name."), Parameter("id", .string, optional: true, "Its id."),
      Parameter("type", .string, "Such as text, password, hidden."), Parameter("value", .string, "What is in it."),
      Parameter("label", .string, optional: true, "What the page calls it."),
      Parameter("checked", .boolean, "Whether the box is ticked."),
      Parameter("options", .list(of: .string), "What there is to choose from."),
    ])

  static let button = LuaRecord(
    "button", "A button of a form.",
    [
      Parameter("name", .string, optional: true, "Its name."), Parameter("id", .string, optional: true, "Its id."),
      Parameter("value", .string, "What it sends."), Parameter("label", .string, "What is on it."),
    ])

  static let link = LuaRecord(
    "link", "A link of a page.",
    [
      Parameter("url", .string, "Where it leads."), Parameter("text", .string, "What it says."),
      Parameter("id", .string, optional: true, "Its id."),
    ])
}
