import Core
package import Files
import Pages

/// A plan as a page in one file, with a part for each action.
package enum PlanPage {
  /// A page with more rows opens slowly. The plan's file has all of them.
  static let mostRows = 20_000
  /// A browser lays out only those pieces of a long table that are seen.
  private static let pieceSize = 200

  /// Reads the plan from its first row on.
  /// - Parameter file: the path of the plan's file, for people.
  package static func write(_ plan: PlanReader, to place: OutputPlace, file: String) throws {
    let output = try AtomicFile(place)
    var parts = Parts(plan.counts)
    try plan.rewind()
    while let row = try plan.next() { parts.add(row) }
    let page = HTMLPage(title: PlanWords.title(plan.header), style: style, script: script)
    try output.write(page.start.utf8)
    try output.write(heading(plan, file).text.utf8)
    try output.write("<main>\n".utf8)
    for action in PlanWords.order {
      guard let count = plan.counts[action], count > 0 else { continue }
      try write(parts.rows[action] ?? [], action, count, parts.hasLines, file, to: output)
    }
    try output.write("</main>\n".utf8)
    try output.write(page.end.utf8)
    try output.commit()
  }

  /// The rows that the page shows, by their action. If there are too many, the doubtful ones come first.
  private struct Parts {
    private(set) var rows: [PlannedRow.Action: [HTML]] = [:]
    private(set) var hasLines = false
    private var room: [PlannedRow.Action: Int] = [:]

    init(_ counts: [PlannedRow.Action: Int]) {
      var rest = PlanPage.mostRows
      for action in PlanWords.order {
        let count = min(counts[action] ?? 0, rest)
        room[action] = count
        rest -= count
      }
    }

    mutating func add(_ row: PlannedRow) {
      hasLines = hasLines || row.line != nil
      guard let left = room[row.action], left > 0 else { return }
      room[row.action] = left - 1
      rows[row.action, default: []].append(PlanRowHTML.row(row, hasLines: hasLines))
    }
  }

  private static func heading(_ plan: PlanReader, _ file: String) -> HTML {
    let header = plan.header
    let created = UnixTime(Double(header.created))
    var facts: [HTML] = [
      HTML(.time, with: ["datetime": created.iso], "\(created.day), \(created.clock) UTC"),
      .list(PlanWords.text(header.api)),
    ]
    if let column = header.keyColumn { facts.append(.list("by the key ", HTML(.b, PlanWords.text(column)))) }
    if let undone = header.undoes { facts.append(.list("takes back ", HTML(.b, PlanWords.text(undone)))) }
    facts.append(.list(PlanWords.text(file)))
    let parts = PlanWords.order.compactMap { action -> HTML? in
      guard let count = plan.counts[action], count > 0 else { return nil }
      return HTML(
        .li, HTML(.a, with: ["href": "#\(action.rawValue)"], HTML(.b, Amount.count(count))),
        " \(PlanWords.words(action, isOne: count == 1))")
    }
    return HTML(
      .header, HTML(.h1, PlanWords.title(header)), HTML(.ul, class: "facts", facts.map { HTML(.li, $0) }),
      parts.isEmpty ? HTML(.p, PlanWords.counts([:])) : HTML(.ul, class: "facts counts", parts),
      header.notes.map { HTML(.p, class: "note", PlanWords.text($0)) }, filters(plan.counts), "\n")
  }

  /// The script shows them.
  private static func filters(_ counts: [PlannedRow.Action: Int]) -> HTML {
    let actions = PlanWords.order.filter { counts[$0] ?? 0 > 0 }.map { action in
      HTML(
        .label, HTML(.input, with: ["type": "checkbox", "checked": "", "value": action.rawValue]), " \(action.rawValue)"
      )
    }
    return HTML(
      .div, class: "screen", id: "filters", with: ["hidden": "", "role": "search"],
      HTML(.input, with: ["type": "search", "placeholder": "Search", "aria-label": "Search the rows"]), actions,
      HTML(.span, class: "quiet", id: "found", with: ["role": "status"]))
  }

  private static func write(
    _ rows: [HTML], _ action: PlannedRow.Action, _ count: Int, _ hasLines: Bool, _ file: String, to output: AtomicFile
  ) throws(FileError) {
    let title = "\(Amount.count(count)) \(PlanWords.words(action, isOne: count == 1))"
    // Rows with nothing to do are of little interest.
    let open = [.same, .skipped, .gone].contains(action) ? "" : " open"
    let summary = HTML(.summary, class: tone(action), HTML(.h2, title), HTML(.span, class: "quiet found"))
    try output.write(
      "<details class=\"card\" id=\"\(action.rawValue)\" data-count=\"\(count)\"\(open)>\(summary.text)\n".utf8)
    for start in stride(from: 0, to: rows.count, by: pieceSize) {
      let head = start > 0 ? [] : PlanRowHTML.head(hasLines: hasLines)
      let table = HTML.table(head, Array(rows[start..<min(start + pieceSize, rows.count)]))
      try output.write(HTML(.div, class: "piece", table).text.utf8)
      try output.write("\n".utf8)
    }
    if rows.count < count {
      let rest = HTML(
        .p, class: "rest", "And \(Amount.count(count - rows.count, "more row")): \(PlanWords.text(file)) has all.")
      try output.write(rest.text.utf8)
    }
    try output.write("</details>\n".utf8)
  }

  private static func tone(_ action: PlannedRow.Action) -> String {
    switch action {
    case .conflict, .kept: "warn"
    case .refused, .remove: "bad"
    case .create: "good"
    case .change: ""
    case .same, .skipped, .gone: "quiet"
    }
  }
}
