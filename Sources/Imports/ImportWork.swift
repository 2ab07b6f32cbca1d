import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import SharedImport

/// An import that is about to run: with a journal of this machine, or shared with other machines.
@HostActor
protocol ImportWork: AnyObject {
  var report: ImportReport { get }
  var statistics: ImportStatistics { get }
  var events: Events { get }
  /// The file or the database of the journal; nil if it is in memory.
  var journalPlace: String? { get }
  /// The name for `b2c-run imports show`; nil for an import that no later run could go on with.
  var shortID: String? { get }
  /// - Parameter again: opens the source once more, for a machine that has to begin anew.
  func run(_ source: any RowSource, again: @escaping @HostActor () throws -> any RowSource) async throws -> ImportReport
  /// Returns a function that reads the failed rows one by one.
  func failures() async throws -> @HostActor () async throws -> JournalFailure?
  func close() async
}

@HostActor
final class JournaledImport: ImportWork {
  let engine: ImportEngine
  let journal: ImportJournal

  init(_ engine: ImportEngine, _ journal: ImportJournal) {
    self.engine = engine
    self.journal = journal
  }

  var report: ImportReport { engine.report }
  var statistics: ImportStatistics { engine.statistics }
  var events: Events { engine.events }
  var journalPlace: String? { journal.path }
  var shortID: String? { journal.summary.shortID }
  func run(_ source: any RowSource, again: @escaping @HostActor () throws -> any RowSource) async throws -> ImportReport
  {
    try await engine.run(source)
  }
  func failures() async throws -> @HostActor () async throws -> JournalFailure? {
    let rows = try await journal.failures()
    return { try rows.next() }
  }
  func close() async { await journal.close() }
}

extension SharedRun: ImportWork {
  var journalPlace: String? { imports.place }
  var shortID: String? { String(record.id.prefix(8)) }
  func run(_ source: any RowSource, again: @escaping @HostActor () throws -> any RowSource) async throws -> ImportReport
  {
    var first: (any RowSource)? = source
    return try await run(planning: {
      defer { first = nil }
      return try first ?? again()
    })
  }
  func failures() async throws -> @HostActor () async throws -> JournalFailure? { imports.failureReader(of: record.id) }
  func close() async { await imports.close() }
}
