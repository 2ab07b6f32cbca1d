import Glibc
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import JSON
import TaskAPI
import TestSupport
import Testing

/// Rows with names, and the names of their parents.
@HostActor
final class FamilySource: RowSource {
  struct Row: Sendable {
    var id: String?
    var parent: String?
    var text: String

    init(_ id: String?, below parent: String? = nil, _ text: String? = nil) {
      self.id = id
      self.parent = parent
      self.text = text ?? "task \(id ?? "")"
    }
  }

  private let rows: [Row]
  private var position = 0
  let hasSourceIDs: Bool

  nonisolated init(_ rows: [Row], isDeclared: Bool = true) {
    self.rows = rows
    hasSourceIDs = isDeclared
  }

  func next() async throws -> SourceRecord? {
    guard position < rows.count else { return nil }
    position += 1
    let row = rows[position - 1]
    let whole = "\(row.id ?? "")|\(row.parent ?? "")|\(row.text)"
    return SourceRecord(
      number: position, line: position + 1, content: .value(.string(whole)), fingerprint: StableHash.of(whole))
  }

  func draft(of record: SourceRecord) -> RowDraft {
    let row = rows[record.number - 1]
    var draft = TaskDraft(text: row.text, fields: row.parent.map { ["parent": .string($0)] } ?? [:])
    draft.sourceID = row.id
    return RowDraft(draft)
  }

  func sourceID(of record: SourceRecord) -> String? { rows[record.number - 1].id }

  let bytesRead = 0
  let totalBytes: Int? = nil
}

/// A journal in a file, and the runs of an import with it.
@HostActor
final class JournaledRuns {
  private let folder = TemporaryFolder()
  var file: String { folder.path("journal.sqlite") }
  /// The notices of all runs.
  private(set) var notices: [String] = []

  func journal() async throws -> ImportJournal { try await ImportJournal.open(TaskSink.identity, file: file) }

  @discardableResult
  func run(
    _ rows: [FamilySource.Row], _ sink: TaskSink, concurrency: Int = 4, isDeclared: Bool = true,
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> ImportReport {
    let journal = try await journal()
    let engine = try await sink.engine(concurrency: concurrency, journal: journal, change)
    engine.events.watch(ImportEvent.self) { [weak self] event, _ in
      if case .notice(let text) = event { self?.notices.append(text) }
    }
    let result: Result<ImportReport, any Error>
    do { result = .success(try await engine.run(FamilySource(rows, isDeclared: isDeclared))) } catch {
      result = .failure(error)
    }
    await journal.close()
    return try result.get()
  }

  /// Runs an import until the server has had so many requests and leaves the journal as a kill at that moment would.
  func killed(after requests: Int, _ rows: [FamilySource.Row], _ sink: TaskSink) async throws {
    let journal = try await journal()
    let engine = try await sink.engine(concurrency: 8, journal: journal)
    let before = sink.arrivals.count
    let run = HostActor.task { try await engine.run(FamilySource(rows)) }
    while sink.arrivals.count < before + requests { try await HostLoop.shared.sleep(seconds: 0.002) }
    // The seal first: a copy of it that is newer than the others would know commits that they lack.
    let copies = ["-seal", "", "-wal"].map { (file + $0, folder.path("copy.sqlite") + $0) }
    for (from, to) in copies { try copyFile(from, to) }
    run.cancel()
    _ = await run.result
    await journal.close()
    unlink(file + "-wal")
    unlink(file + "-shm")
    for (from, to) in copies where access(to, F_OK) == 0 { rename(to, from) }
  }
}
