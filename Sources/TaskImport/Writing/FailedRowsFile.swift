package import Files
package import JSON

/// The file of the rows that failed, which can be imported again when they are mended: one JSON object a line, the row as
/// it stood in the source and, as `_import`, why it failed.
package enum FailedRowsFile {
  /// Its usual place: `FILE.failed.ndjson` beside FILE.
  package static func path(besides source: String) -> String { source + ".failed.ndjson" }

  /// Writes the file, which is there in full or not at all. Unsettled rows are left out: importing them could add them
  /// twice. One that is there already is kept under another name: somebody may be about to mend it.
  /// - Returns: that name; nil where there was none.
  package static func write(_ rows: JournalFailures, to place: OutputPlace) throws -> String? {
    let file = try AtomicFile(place)
    while let row = try rows.next() { if !row.failure.isUnsettled { try file.write((line(row) + "\n").utf8) } }
    let kept = file.keepPrevious()
    try file.commit()
    return kept
  }

  /// A row of it, without an end of the line.
  package static func line(_ row: JournalFailure) -> String {
    let failure = row.failure
    var members = row.original?.object ?? ["text": .string(failure.text)]
    var reason = members[FailedRow.memberName]?.object ?? [:]
    reason["row"] = .integer(Int64(failure.row))
    reason["line"] = failure.line.map { .integer(Int64($0)) }
    reason["reason"] = .string(failure.reason)
    reason["code"] = .string(failure.code)
    reason["status"] = failure.status.map { .integer(Int64($0)) }
    if failure.isUnsettled { reason["unsettled"] = true }
    members[FailedRow.memberName] = .object(reason)
    return JSON.object(members).encoded()
  }
}

extension JournalFailure {
  /// The row as it stood in the source; nil where that is not known.
  package var original: JSON? { content.flatMap { try? JSON(parsing: $0) } }
}
