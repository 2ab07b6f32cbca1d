import Core
package import Files
package import ImportEngine
package import ImportFormats
package import JSON

/// The facts about a finished run of an import. `ImportSummaryText` shows it to people, `ImportReportJSON` to programs.
package struct ImportSummary: Sendable {
  package enum Ending: Sendable, Equatable {
    case finished
    /// All rows were checked, and nothing was sent.
    case dryRun
    /// A person or a signal stopped it.
    case interrupted
    /// It could not continue: the error's code, message and hint.
    case stopped(code: String, message: String, hint: String?)

    /// A stable name for programs.
    package var code: String {
      switch self {
      case .finished: "finished"
      case .dryRun: "dry_run"
      case .interrupted: "interrupted"
      case .stopped: "stopped"
      }
    }
  }

  /// The path as it was given, or `standard input`.
  package var source: String
  package var account: String?
  package var api: String?
  /// The start of the run in Unix seconds.
  package var startedAt: Int
  package var ending: Ending
  package var report: ImportReport
  package var statistics: ImportStatistics
  /// The options of the run, by the names that scripts use.
  package var options: [String: JSON] = [:]
  /// The journal's file; nil if it did not last.
  package var journal: String?
  /// The file of failed rows; nil if there is none.
  package var failedRows: String?
  /// The file of failed rows as a table; nil if there is none.
  package var failedTable: String?
  package var findings = Findings()
  package var leftOut: LeftOut? { findings.leftOut }

  /// The facts about the source.
  package struct Findings: Sendable {
    /// The columns that the import did not take; nil without one.
    package var leftOut: LeftOut?
    /// The first tasks that a dry run has found.
    package var checked: [CheckedTask] = []

    package init() {}
  }

  package init(source: String, startedAt: Int, ending: Ending, report: ImportReport, statistics: ImportStatistics) {
    self.source = source
    self.startedAt = startedAt
    self.ending = ending
    self.report = report
    self.statistics = statistics
  }

  /// Writes the report: a page for a path that ends in `.html` or `.htm`, else JSON. Throws `unwritable`.
  package func write(to place: OutputPlace) throws(FileError) {
    if !place.path.isPagePath { return try ImportReportJSON.write(self, to: place) }
    try write(ImportReportPage.text(self), to: place)
  }

  func write(_ text: String, to place: OutputPlace) throws(FileError) {
    let file = try AtomicFile(place)
    try file.write(text.utf8)
    try file.commit()
  }

  /// Tasks added a second, in this run.
  package var rate: Double { Double(report.addedNow) / max(report.seconds, 0.001) }

  /// True if another run has nothing to do.
  private var isAtAnEnd: Bool { ending == .finished || ending == .dryRun }

  /// The option by which an import of the failed rows finds a journal in a place of its own.
  private var withJournal: String {
    options["journal"]?.string.map { "\(withMap.isEmpty ? " with" : " and") --journal \($0)" } ?? ""
  }

  /// The table needs the map of the import.
  private var withMap: String { failedTable != nil && options["map"] != nil ? " with the same --map" : "" }

  /// The next steps, a sentence each; empty if there are none.
  package var advice: [String] {
    var advice: [String] = []
    if case .stopped(_, _, let hint?) = ending { advice.append(hint) }
    if !isAtAnEnd {
      advice.append(
        journal != nil
          ? "Import it again to continue: added rows are not sent again."
          : "There is no journal of this import: to import it again sends every row once more.")
    }
    if report.unsettled > 0 {
      advice.append(
        isAtAnEnd
          ? "See whether the unsettled rows are there, then import again with --unsettled resend, or --unsettled skip."
          : "The next run finds out, as far as that can be, whether the unsettled rows were added.")
    }
    if let option = leftOut?.advice { advice.append("To take more columns: \(option).") }
    if report.failed > 0, failedRows == nil, failedTable == nil, ending != .dryRun {
      advice.append("With --failed FILE, the rows that fail are written there, to be corrected and imported.")
    }
    if report.failed > 0, let file = failedRows ?? failedTable {
      let table = failedRows == nil ? nil : failedTable
      let files =
        table.map { "\($0), a table, or in \(file), and import one of the two files" } ?? "\(file) and import that file"
      advice.append("Correct the failed rows in \(files)\(withMap)\(withJournal).")
    }
    return advice
  }
}
