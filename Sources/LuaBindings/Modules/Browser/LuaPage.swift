import Core
import HostLoop
import Lua
import UserAgents

/// A page of the headless agent, as `on_page` gets it.
@HostActor
final class LuaPage: LuaObject {
  private let page: HeadlessPage

  init(_ page: HeadlessPage) { self.page = page }

  private var forms: LuaValue {
    .list(
      page.forms.map { form in
        .record([
          ("id", .string(form.id)), ("name", .string(form.name)), ("action", .string(form.action)),
          ("method", .string(form.method)),
          (
            "fields",
            .list(
              form.fields.map { field in
                .record([
                  ("name", .string(field.name)), ("id", .string(field.id)), ("type", .string(field.type)),
                  ("value", .string(field.value)), ("label", .string(field.label)),
                  ("checked", .boolean(field.isChecked)), ("options", .list(field.options.map { .string($0) })),
                ])
              })
          ),
          (
            "buttons",
            .list(
              form.buttons.map { button in
                .record([
                  ("name", .string(button.name)), ("id", .string(button.id)), ("value", .string(button.value)),
                  ("label", .string(button.label)),
                ])
              })
          ),
        ])
      })
  }

  static let luaType = HostType(
    "page", "A page of the headless agent.",
    properties: [
      .init("url", .string, "The URL of the page.", of: LuaPage.self) { object, _ in .string(object.page.url) },
      .init("title", .string, "The title.", of: LuaPage.self) { object, _ in .string(object.page.title) },
      .init("status", .integer, "The HTTP status of the response.", of: LuaPage.self) { object, _ in
        .integer(object.page.status)
      }, .init("text", .string, "The text of the page.", of: LuaPage.self) { object, _ in .string(object.page.text) },
      .init("alerts", .list(of: .string), "The errors it shows.", of: LuaPage.self) { object, _ in
        .list(object.page.alerts.map { .string($0) })
      }, .init("forms", .list(of: .record(.form)), "The forms.", of: LuaPage.self) { object, _ in object.forms },
      .init("links", .list(of: .record(.link)), "The links.", of: LuaPage.self) { object, _ in
        .list(
          object.page.links.map {
            .record([("url", .string($0.url)), ("text", .string($0.text)), ("id", .string($0.id))])
          })
      },
    ],
    methods: [
      HostFunction(
        "page:fill", "Fills a field.",
        [
          Parameter("self", .object("page")), Parameter("name", .string, "The field's name or id."),
          Parameter("value", .secret, "The value for the field."),
        ]
      ) { arguments in
        let object: LuaPage = try arguments.object(0)
        let value = arguments[2].string ?? arguments[2].asSecret?.reveal() ?? ""
        try object.page.fill(arguments.string(1), value)
        return []
      },
      HostFunction(
        "page:follow", "Follows a link, in place of submitting a form.",
        [Parameter("self", .object("page")), Parameter("link", .string, "The link's text, address or id.")]
      ) { arguments in
        let object: LuaPage = try arguments.object(0)
        try object.page.follow(arguments.string(1))
        return []
      },
      HostFunction(
        "page:submit", "Submits the form.",
        [
          Parameter("self", .object("page")),
          Parameter("button", .string, optional: true, "The button's name, id, value or label."),
        ]
      ) { arguments in
        let object: LuaPage = try arguments.object(0)
        try object.page.submit(arguments[1].string)
        return []
      },
    ], describe: { object in (object as? LuaPage).map { "page \($0.page.title)" } ?? "page" })
}
