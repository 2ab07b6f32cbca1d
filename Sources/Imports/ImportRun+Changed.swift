import Automation
import Core
import Files
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal

/// An import of a source that has changed since an earlier run.
extension ImportRun {
  static func work(
    _ journal: ImportJournal, _ place: ImportPlace, _ options: ImportOptions, _ events: Events, _ dryRun: DryRun?
  ) -> JournaledImport {
    let engine = ImportEngine(service: place.service, journal: journal, options: options, events: events)
    if let dryRun { engine.onChecked = { try dryRun.add($0, $1) } }
    return JournaledImport(engine, journal)
  }

  /// Runs the import. A dry run of a changed source continues as with `resume = "match"`.
  func runWork() async throws -> ImportReport {
    do { return try await work.run(source) { try self.sourceAgain() } } catch let error as ImportError
      where error.kind == .sourceChanged && plan.options.isDryRun && work.report.isUntouched && path != nil
    {
      guard let file = (work as? JournaledImport)?.journal.path else { throw error }
      console.log(
        .warn,
        "\(error.message): an import needs --resume match (resume = \"match\" in a script), which is counted here")
      try await goOn(withCopyOf: OutputPlace(file))
      let report = try await work.run(source) { try self.sourceAgain() }
      console.log(
        .info, "--resume no (resume = \"no\" in a script) would import all \(counted(report.total, "row")) as new")
      return report
    }
  }

  /// With `resume = "match"`, makes the journal one of the changed source. A dry run does so with a copy of the journal.
  func matchChanged() async throws {
    guard plan.options.resume == .match, let journal = (work as? JournaledImport)?.journal, !journal.isNew else {
      return
    }
    guard path != nil else {
      throw plan.failure(
        option: "resume", "expected a file to match, which can be read twice", hint: "give its path")
    }
    if plan.options.isDryRun, let file = journal.path { return try await goOn(withCopyOf: OutputPlace(file)) }
    try await match(journal)
  }

  private func goOn(withCopyOf file: OutputPlace) async throws {
    await work.close()
    guard let dryRun else { return }
    let copy = try await ImportJournal.copy(identity, file: file)
    replaceWork(dryRun.work(matchedBy: copy, work.events), try sourceAgain())
    try await match(copy)
  }

  private func match(_ journal: ImportJournal) async throws {
    // The source is read to its end here, and again by the import.
    let known = try await journal.match(try plan.source.open(true).rows) {
      [run = imports.run, identity, plan] known, rows in
      if plan.options.isDryRun { return true }
      return try run.askPerson {
        $0.confirm(
          [
            "None of the rows imported before (\(known)) is in \(identity.sourceName.displayable) as it is now.",
            "A row with another column is another row.",
          ], "Import all rows (\(rows)) as new?")
      } ?? false
    }
    console.log(.info, "rows of earlier runs, at any position of the file: \(known)")
  }
}
