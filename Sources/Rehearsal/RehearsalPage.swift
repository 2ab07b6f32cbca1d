package import JSON
import Pages

/// A rehearsal as a page and for programs.
package enum RehearsalPage {
  package static func text(_ result: RehearsalResult) -> String {
    let title = "From Azure AD B2C to External ID"
    let moving = result.moving
    let counts =
      "\(result.rows.count { !$0.isSame }) of \(result.rows.count) things differ; \(result.breaks.count) broken hooks; "
      + "\(moving.signIns) sign-ins while users move: \(moving.lockedOut.count) locked out, "
      + "\(moving.wrongLetIn.count) let in with a wrong password"
    let areas = RehearsalText.areas(result.rows).map { area in
      section(
        area, ["Name", "B2C", "External ID", "Change"],
        result.rows.filter { $0.area == area }.map { row in
          [row.name, row.old, row.new, row.advice ?? "none"]
        })
    }
    let hook = section(
      "the hook for passwords", ["Broken", "The user sees", "Lets a wrong password in", "Works again"],
      result.breaks.map { [$0.fault.rawValue, $0.seen, $0.letsWrongIn ? "yes" : "no", $0.recovers ? "yes" : "no"] })
    let body = HTML.list(HTML(.header, HTML(.h1, title), HTML(.p, counts)), areas, hook)
    return HTMLPage(title: title, body: body, style: ".scroll { overflow-x: auto; }\n").text
  }

  private static func section(_ title: String, _ head: [String], _ rows: [[String]]) -> HTML {
    HTML(
      .section, class: "card", HTML(.h2, title),
      HTML(
        .div, class: "scroll",
        HTML.table(
          head.map { HTML(.th, with: ["scope": "col"], $0) },
          rows.map { row in HTML(.tr, row.map { HTML(.td, $0) }) })))
  }

  package static func json(_ result: RehearsalResult) -> JSON {
    [
      "rows": .array(
        result.rows.map { row in
          [
            "area": .string(row.area), "name": .string(row.name), "b2c": .string(row.old),
            "external_id": .string(row.new), "change": row.advice.map(JSON.string) ?? .null,
          ]
        }),
      "hook": .array(
        result.breaks.map { entry in
          [
            "broken": .string(entry.fault.rawValue), "seen": .string(entry.seen),
            "lets_wrong_in": .bool(entry.letsWrongIn), "recovers": .bool(entry.recovers),
          ]
        }),
      "moving": [
        "users": .integer(Int64(result.moving.users)), "sign_ins": .integer(Int64(result.moving.signIns)),
        "at_b2c": .integer(Int64(result.moving.atOld)), "at_external_id": .integer(Int64(result.moving.atNew)),
        "migrated": .integer(Int64(result.moving.migrated)),
        "locked_out": .array(result.moving.lockedOut.map(JSON.string)),
        "wrong_let_in": .array(result.moving.wrongLetIn.map(JSON.string)),
      ],
    ]
  }
}
