import Core
import HostLoop
package import Lua
import LuaKit
import UserAgents

/// A page of the headless agent, as `on_page` gets it.
package final class LuaPage: LuaObject {
  private let page: HeadlessPage

  init(_ page: HeadlessPage) { self.page = page }

  package static let luaType = HostType(
    "page", "A page of the headless agent.",
    properties: [
      property("url", .string, "The URL of the page.") { .string($0.page.url) },
      property("title", .string, "The title.") { .string($0.page.title) },
      property("status", .integer, "The HTTP status of the response.") { .integer($0.page.status) },
      property("text", .string, "The text of the page.") { .string($0.page.text) },
      property("alerts", .list(of: .string), "The error messages on the page.") {
        .list($0.page.alerts.map { .string($0) })
      },
      property("forms", .list(of: .record(form.record)), "The forms.") { .list($0.page.forms.map(form.value)) },
      property("links", .list(of: .record(link.record)), "The links.") { .list($0.page.links.map(link.value)) },
    ],
    methods: [
      method(
        "page:fill", "Fills a field.", Parameter("name", .string, "The field's name or id."),
        Parameter("value", .secret, "The value for the field.")
      ) { object, arguments in
        let value = arguments[2].string ?? arguments[2].asSecret?.reveal() ?? ""
        try object.page.fill(arguments.string(1), value)
        return []
      },
      method(
        "page:follow", "Follows a link instead of submitting a form.",
        Parameter("link", .string, "The link's text, URL or id.")
      ) { object, arguments in
        try object.page.follow(arguments.string(1))
        return []
      },
      method("page:submit", "Submits the form.", .optional("button", .string, "The button's name, id, value or label."))
      { object, arguments in
        try object.page.submit(arguments[1].string)
        return []
      },
    ], describe: { object in (object as? LuaPage).map { "page \($0.page.title)" } ?? "page" })

  private static let form = ValueRecord<PageForm>(
    "form", "A form of a page.",
    .init("id", .string, optional: true, "The ID.") { .string($0.id) },
    .init("name", .string, optional: true, "The name.") { .string($0.name) },
    .init("action", .string, "The URL of the form.") { .string($0.action) },
    .init("method", .string, "The method of the form.") { .string($0.method) },
    .init("fields", .list(of: .record(field.record)), "The fields of the form.") { .list($0.fields.map(field.value)) },
    .init("buttons", .list(of: .record(button.record)), "The buttons that submit the form.") {
      .list($0.buttons.map(button.value))
    })

  private static let field = ValueRecord<PageForm.Field>(
    "form field", "A field of a form.",
    .init("name", .string, "The name.") { .string($0.name) },
    .init("id", .string, optional: true, "The ID.") { .string($0.id) },
    .init("type", .string, "The type, such as text, password, hidden.") { .string($0.type) },
    .init("value", .string, "The present value.") { .string($0.value) },
    .init("label", .string, optional: true, "The label on the page.") { .string($0.label) },
    .init("checked", .boolean, "True if the box is checked.") { .boolean($0.isChecked) },
    .init("options", .list(of: .string), "The choices of a list.") { .list($0.options.map { .string($0) }) })

  private static let button = ValueRecord<PageForm.Button>(
    "button", "A button of a form.",
    .init("name", .string, optional: true, "The name.") { .string($0.name) },
    .init("id", .string, optional: true, "The ID.") { .string($0.id) },
    .init("value", .string, "The value that the button sends.") { .string($0.value) },
    .init("label", .string, "The label.") { .string($0.label) })

  private static let link = ValueRecord<PageLink>(
    "link", "A link of a page.",
    .init("url", .string, "The URL of the link.") { .string($0.url) },
    .init("text", .string, "The text of the link.") { .string($0.text) },
    .init("id", .string, optional: true, "The ID.") { .string($0.id) })
}
