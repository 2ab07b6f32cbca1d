package import Files
import HostLoop
package import JSON

/// The file of failed rows, which can be corrected and imported: one JSON object a line, the row as it was in the
/// source and, as `_import`, the reason.
package enum FailedRowsFile {
  /// Its usual place: `FILE.failed.ndjson` beside FILE.
  package static func path(besides source: String) -> String { source + ".failed.ndjson" }

  /// Writes the file, all of it or nothing. Unsettled rows are left out, because importing them could add them twice.
  /// - Returns: the new name of an earlier file, which somebody may be about to correct.
  /// - Parameter next: reads the next row; nil at the end.
  @HostActor
  package static func write(
    to place: OutputPlace, _ next: @HostActor () async throws -> JournalFailure?
  ) async throws -> String? {
    let file = try AtomicFile(place)
    while let row = try await next() { if !row.failure.isUnsettled { try file.write((line(row) + "\n").utf8) } }
    let kept = file.keepPrevious()
    try file.commit()
    return kept
  }

  /// A row of it, without a line break.
  package static func line(_ row: JournalFailure) -> String {
    let failure = row.failure
    var members = row.original?.object ?? ["text": .string(failure.text)]
    var reason = members[JSONRecord.failureName]?.object ?? [:]
    reason["row"] = .integer(Int64(failure.row))
    reason["line"] = failure.line.map { .integer(Int64($0)) }
    reason["reason"] = .string(failure.reason)
    reason["code"] = .string(failure.code)
    reason["status"] = failure.status.map { .integer(Int64($0)) }
    if failure.isUnsettled { reason["unsettled"] = true }
    members[JSONRecord.failureName] = .object(reason)
    return JSON.object(members).encoded()
  }
}

extension JournalFailure {
  /// The row as it was in the source; nil if that is not known.
  package var original: JSON? { content.flatMap { try? JSON(parsing: $0) } }
}
