import Core

/// A rehearsal for the terminal.
package enum RehearsalText {
  package static func text(_ result: RehearsalResult) -> String {
    var lines: [String] = []
    let different = result.rows.filter { !$0.isSame }
    for area in Self.areas(different) {
      lines.append(area)
      for row in different where row.area == area {
        lines.append("  \(row.name): \(short(row.old)) → \(short(row.new))")
        if let advice = row.advice { lines.append("      \(advice)") }
      }
      lines.append("")
    }
    lines.append("the hook for passwords")
    for entry in result.breaks {
      lines.append("  \(entry.isGood ? "good" : "BAD ")  \(entry.fault.rawValue): \(entry.seen)")
    }
    let moving = result.moving
    lines += [
      "", "\(result.rows.count) things compared: \(different.count) differ",
      "\(result.breaks.count) broken hooks: \(result.breaks.count { $0.isGood }) let nobody in wrongly, and nobody stays outside",
      "\(moving.signIns) sign-ins of \(moving.users) users, \(moving.atOld) at B2C and \(moving.atNew) at External ID; "
        + "\(moving.migrated) passwords moved",
      "\(moving.lockedOut.count) locked out, \(moving.wrongLetIn.count) let in with a wrong password",
    ]
    lines += (moving.lockedOut.prefix(10).map { "  locked out: \($0)" })
    lines += (moving.wrongLetIn.prefix(10).map { "  let in: \($0)" })
    return lines.joined(separator: "\n") + "\n"
  }

  static func areas(_ rows: [RehearsalResult.Row]) -> [String] {
    rows.reduce(into: []) { areas, row in if areas.last != row.area { areas.append(row.area) } }
  }

  private static func short(_ text: String) -> String { text.count > 60 ? text.prefix(59) + "…" : text }
}
