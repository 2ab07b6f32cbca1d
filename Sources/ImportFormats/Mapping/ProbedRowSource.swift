package import HostLoop
import TaskAPI

/// The rows of a source whose tasks alone tell their fields. Before it hands out the first row, it makes sure that a task
/// of the first rows has the field of `dedupe`: without it, each row would be added again.
@HostActor
package final class ProbedRowSource: RowSource {
  private let source: any RowSource
  private let field: String
  private var ahead: ArraySlice<(record: SourceRecord, draft: RowDraft)>?
  private var current: RowDraft?
  /// The error of the source behind `ahead`.
  private var trouble: (any Error)?

  package init(_ source: any RowSource, field: String) {
    self.source = source
    self.field = field
  }

  package func next() async throws -> SourceRecord? {
    try await probe()
    current = nil
    if let first = ahead?.popFirst() {
      current = first.draft
      return first.record
    }
    if let trouble { throw trouble }
    return try await source.next()
  }

  package func draft(of record: SourceRecord) async throws -> RowDraft {
    if let current { return current }
    return try await source.draft(of: record)
  }

  /// Reads the first rows, up to one with the field. Throws if none has it. Does nothing the second time.
  package func probe() async throws {
    guard ahead == nil else { return }
    var found: Set<String> = []
    var rows: [(record: SourceRecord, draft: RowDraft)] = []
    var isThere = false
    do {
      while !isThere, rows.count < PreviewedReader.most, let record = try await source.next() {
        let draft = try await source.draft(of: record)
        rows.append((record, draft))
        guard case .task(let task) = draft else { continue }
        isThere = task.value(of: field) != nil
        found.formUnion(["text"] + task.fields.keys)
      }
    } catch { trouble = error }
    ahead = rows[...]
    if !isThere, !found.isEmpty { throw ImportError.noDedupeField(field, among: found.sorted(), inFirst: rows.count) }
  }

  package var draftsDependOnEarlier: Bool { source.draftsDependOnEarlier }
  package var beginning: [SourceRecord] { source.beginning }
  package var table: SourceTable? { source.table }
  package var isReady: Bool { ahead?.isEmpty == false || source.isReady }
  package func interrupt() { source.interrupt() }
  package var bytesRead: Int { source.bytesRead }
  package var totalBytes: Int? { source.totalBytes }
}
