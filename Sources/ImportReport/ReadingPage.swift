import Core
package import Files
package import ImportFormats
import Pages

/// The reading of a source as a page in one file.
package enum ReadingPage {
  /// Throws `unwritable`.
  package static func write(_ reading: SourceReading, to place: OutputPlace) throws(FileError) {
    let file = try AtomicFile(place)
    try file.write(text(reading).utf8)
    try file.commit()
  }

  static func text(_ reading: SourceReading) -> String {
    let columns = reading.columns.map { column in
      HTML(
        .tr, HTML(.td, column.name), HTML(.td, class: "quiet", column.kind),
        HTML(.td, class: column.field == nil ? "warn" : nil, column.field ?? "left out"))
    }
    let body = HTML.list(
      heading(reading),
      HTML(
        .main, reading.doubts.isEmpty ? nil : card("Doubts", doubts(reading)),
        columns.isEmpty ? nil : card("Columns", .table(head("Column", "Values", "Field"), columns)),
        card("The first rows as tasks", rows(reading))))
    return HTMLPage(title: "Reading of \(reading.source)", body: body, style: style).text
  }

  private static func card(_ title: String, _ content: HTML) -> HTML {
    HTML(.section, class: "card", HTML(.h2, title), content, "\n")
  }

  private static func head(_ names: String...) -> [HTML] { names.map { HTML(.th, $0) } }

  private static func heading(_ reading: SourceReading) -> HTML {
    let facts = ReadingText.facts(reading).filter { $0.name != "columns" && !$0.name.isEmpty }
    let result =
      reading.doubts.isEmpty
      ? HTML(.p, class: "good", "Nothing is doubtful.")
      : HTML(.p, class: "warn", "\(counted(reading.doubts.count, "doubt")) would stop an import without a terminal.")
    return HTML(
      .header, HTML(.h1, reading.source),
      HTML(.ul, class: "facts", facts.map { HTML(.li, HTML(.b, $0.name), " \($0.value)") }), result)
  }

  private static func doubts(_ reading: SourceReading) -> HTML {
    .list(
      reading.doubts.map { doubt in
        HTML(.div, class: "problem", HTML(.b, doubt.finding), doubt.remedies.map { HTML(.p, "→ \($0)") })
      })
  }

  private static func rows(_ reading: SourceReading) -> HTML {
    guard !reading.rows.isEmpty else { return HTML(.p, class: "quiet", "There are no rows.") }
    let rows = reading.rows.map { row in
      let cells = ReadingText.cells(row.draft)
      return HTML(
        .tr, class: cells.isTask ? nil : "doubtful", HTML(.td, class: "number", String(row.line ?? row.number)),
        HTML(.td, cells.text), HTML(.td, class: cells.isTask ? "quiet" : "bad", cells.more))
    }
    let place = reading.rows.contains { $0.line != nil } ? "Line" : "Row"
    return .table(class: "rows", [HTML(.th, class: "number", place)] + head("Text", "Fields"), rows)
  }

  private static let style = """
    .rows td:nth-child(2) { width: 45%; } .doubtful { background: var(--bad-ground); }
    @media (max-width: 40rem) { .rows thead { display: none; } .rows tr { display: grid; grid-template-columns: 3rem 1fr;
        border-bottom: 1px solid var(--faint); } .rows td { width: auto !important; border: 0; } .rows td:nth-child(3) {
        grid-column: 2; padding-top: 0; } }

    """
}
