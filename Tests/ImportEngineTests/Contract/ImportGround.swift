import Core
import HostLoop
import ImportEngine
import ImportJournal
import TestSupport

@testable import SharedImport

/// A place for the journal of an import.
enum JournalPlace: String, CaseIterable, Sendable {
  /// A file of this machine.
  case file
  /// A PostgreSQL database, which several machines share.
  case database
}

/// Runs of one import with one server, each with a journal that is opened and closed again.
@HostActor
final class ImportGround {
  private let sink: TaskSink
  private let folder = TemporaryFolder()
  private let shared: SharedGround?
  /// The notices of all runs.
  private(set) var notices: [String] = []

  init(_ place: JournalPlace, _ sink: TaskSink) async throws {
    self.sink = sink
    shared = place == .database ? try await SharedGround() : nil
  }

  @discardableResult
  func run(_ texts: [String], _ change: (inout ImportOptions) -> Void = { _ in }) async throws -> ImportReport {
    try await run(TextSource(texts), change)
  }

  @discardableResult
  func run(_ source: TextSource, _ change: (inout ImportOptions) -> Void = { _ in }) async throws -> ImportReport {
    if let shared {
      let run = try await shared.run(sink, change)
      listen(to: run.events)
      return try await run.run { source }
    }
    let journal = try await ImportJournal.open(TaskSink.identity, file: folder.path("journal.sqlite"))
    let engine = try await sink.engine(journal: journal, change)
    listen(to: engine.events)
    let result: Result<ImportReport, any Error>
    do { result = .success(try await engine.run(source)) } catch { result = .failure(error) }
    // A task of its own, because a canceled one does not wait.
    _ = await HostActor.task { await journal.close() }.result
    return try result.get()
  }

  private func listen(to events: Events) {
    events.watch(ImportEvent.self) { [weak self] event, _ in
      if case .notice(let text) = event { self?.notices.append(text) }
    }
  }
}
