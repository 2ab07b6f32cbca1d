import Core
import Files
import Glibc
import HostLoop
package import ImportEngine
package import ImportFormats
package import JSON
import TaskAPI

/// An import with its decisions: the source, the place of the tasks, the options and the files.
package struct ImportPlan {
  /// The name of the call in messages: `tasks.import`.
  package let call: String
  package var source: ImportSource
  /// Finds the place of the tasks. Called after the file has been checked, because a script may sign somebody in for it.
  package let place: @HostActor () async throws -> ImportPlace
  package var options = ImportOptions()
  /// False if the number of concurrent requests may adapt to the server.
  package var isConcurrencyGiven = false
  package var files = ImportFiles()
  /// Seconds for one request.
  package var timeout = TaskAPIClient.usualTimeout
  /// Nil: as suits where it is shown.
  package var progress: ImportProgress.Form?
  /// The options of the call, as the report shows them.
  package var shownOptions: [String: JSON] = [:]
  /// Decides about each failed row; nil keeps them as failed.
  package var onRowFailed: (@HostActor (RowFailure) async throws -> FailureDecision)?
  /// Called with the path of the report after the report has been written.
  package var onReport: (@HostActor (String) throws -> Void)?

  package init(
    _ call: String, _ source: ImportSource, to place: @escaping @HostActor () async throws -> ImportPlace
  ) {
    self.call = call
    self.source = source
    self.place = place
  }

  /// An error that names the call and the option: `tasks.import: option 'rate': …`.
  func failure(option: String, _ problem: String, hint: String? = nil) -> ImportRefusal {
    ImportRefusal(call, option: option, problem, hint: hint)
  }
}

/// The source of an import.
package struct ImportSource {
  /// A source that has been opened.
  package struct Opened {
    package var rows: any RowSource
    /// The format and the columns in words; nil if a script makes the tasks itself.
    package var summary: String?
    package var doubts: [ReadingDoubt]
    /// The reading of a file, for a later run of the import.
    package var kept: KeptReading?
    /// The facts about the reading, for a person.
    package var facts: SourceReading?

    package init(
      rows: any RowSource, summary: String? = nil, doubts: [ReadingDoubt] = [], kept: KeptReading? = nil,
      facts: SourceReading? = nil
    ) {
      self.rows = rows
      self.summary = summary
      self.doubts = doubts
      self.kept = kept
      self.facts = facts
    }
  }

  /// The path as it was given, "-" for standard input; nil for a function of a script.
  package let path: String?
  /// True for a file that is read as it is, whatever is doubtful about it.
  package var isAsIs = false
  /// True if the caller says which columns give the fields.
  package var isMapped = false
  /// The reading of an earlier run, which decides what the caller does not say.
  var kept: KeptReading?
  private let opener: @HostActor (_ isKnownAgain: Bool, _ kept: KeptReading?) throws -> Opened

  package init(
    path: String?, open: @escaping @HostActor (_ isKnownAgain: Bool, _ kept: KeptReading?) throws -> Opened
  ) {
    self.path = path
    opener = open
  }

  /// - Parameter isKnownAgain: true if a later run has to recognize the rows of a function.
  @HostActor package func open(_ isKnownAgain: Bool) throws -> Opened { try opener(isKnownAgain, kept) }
}

/// The files that an import writes.
package struct ImportFiles: Sendable {
  package enum Place: Sendable, Equatable {
    case usual
    case file(String)
    case nowhere

    var file: String? { if case .file(let path) = self { path } else { nil } }
  }

  package var journal = Place.usual
  package var failedRows = Place.usual
  package var report: String?
  /// The file for the tasks of a dry run; `usual` for a dry run without a file.
  package var dryRun = Place.nowhere
  /// The file of the plan; nil for an import.
  package var plan: String?

  package init() {}
}

extension ImportPlan {
  /// Throws for a file that cannot be written, before anything is sent. `source` is nil if the source is no file.
  @HostActor func checkPlaces(source: String?) throws(ImportRefusal) {
    var outputs = OutputCheck(call)
    outputs.keep(source, "the file that is imported")
    if files.failedRows == .usual {
      for ending in ["ndjson", "csv", "tsv"] {
        outputs.keep(source.map { "\($0).failed.\(ending)" }, "where the failed rows are written")
      }
    }
    // A dry run writes no journal.
    try outputs.take(files.journal.file, "the journal", by: "journal", isWritten: !options.isDryRun)
    try outputs.take(files.failedRows.file, "where the failed rows are written", by: "failed_rows")
    try outputs.take(files.report, "the report", by: "report")
    try outputs.take(files.dryRun.file, "where the tasks are written", by: "dry_run")
    try outputs.take(plan: files.plan)
    guard let report = files.report, Self.isFile(report), !report.isPagePath, report.fileEnding != "json" else {
      return
    }
    throw failure(option: "report", "expected a file that ends in .html, .htm or .json, got '\(report)'")
  }

  /// Returns whether the path is a regular file, or a file that will be created.
  static func isFile(_ path: String) -> Bool { [nil, S_IFREG].contains(FileSystem.kind(of: path)) }
}
