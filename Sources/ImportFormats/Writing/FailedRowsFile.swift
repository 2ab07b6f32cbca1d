package import Files
import HostLoop
package import JSON

/// The files of failed rows, which can be corrected and imported. Each row is as it was in the source, with the reason as
/// `_import`. An import of the file settles the row in its journal, too. Every source has a file with one JSON object a line;
/// a table also has one with its own columns.
package enum FailedRowsFile {
  /// The usual place of the file of objects: `FILE.failed.ndjson` beside FILE.
  package static func path(besides source: String) -> String { source + ".failed.ndjson" }

  /// The usual place of the table: `FILE.failed.csv` beside FILE.
  package static func path(besides source: String, _ table: SourceTable) -> String {
    "\(source).failed.\(table.separator == UInt8(ascii: "\t") ? "tsv" : "csv")"
  }

  /// Writes the file, all of it or nothing. Unsettled rows are left out, because importing them could add them twice.
  /// - Returns: the new name of an earlier file, which somebody may be about to correct.
  /// - Parameters:
  ///   - table: nil to write objects.
  ///   - next: reads the next row; nil at the end.
  @HostActor
  package static func write(
    to place: OutputPlace, as table: SourceTable? = nil, _ next: @HostActor () async throws -> JournalFailure?
  ) async throws -> String? {
    let file = try AtomicFile(place)
    if let table { try file.write(table.header) }
    while let row = try await next() {
      if row.failure.isUnsettled { continue }
      try file.write(table?.row(row) ?? Array((line(row) + "\n").utf8))
    }
    let kept = file.keepPrevious()
    try file.commit()
    return kept
  }

  /// A row of the file of objects, without a line break.
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

/// The columns and the separator of a table.
package struct SourceTable: Sendable {
  package let columns: [String]
  let separator: UInt8
  private let isGuarded: Bool

  init(_ header: CSVHeader, separator: UInt8) {
    columns = header.names
    isGuarded = header.isGuarded
    self.separator = separator
  }

  /// The columns as they are, behind the one with the reasons. It comes first: behind too many fields it would have no place.
  var header: [UInt8] { line([JSONRecord.failureName] + others(columns)) }

  func row(_ row: JournalFailure) -> [UInt8] {
    let original = row.original
    let fields: [String]
    if let list = original?[JSONRecord.failureName]?["fields"]?.array {
      let all = list.map { $0.string ?? "" }
      fields = all.count == columns.count ? others(all) : all
    } else {
      fields = others(columns).map { original?[$0]?.string ?? "" }
    }
    let cells = [RowOrigin.cell(row.failure, row.origins)] + fields
    return line(isGuarded ? cells.map(SpreadsheetGuard.guarded) : cells)
  }

  /// The values without that of the column of reasons.
  private func others(_ values: [String]) -> [String] {
    zip(columns, values).filter { $0.0 != JSONRecord.failureName }.map(\.1)
  }

  private func line(_ fields: [String]) -> [UInt8] {
    var output: [UInt8] = []
    SeparatedCells(separator: separator).append(fields, to: &output)
    return output
  }
}

extension JournalFailure {
  /// The row as it was in the source; nil if that is not known.
  package var original: JSON? { content.flatMap { try? JSON(parsing: $0) } }

  /// The rows that are settled when this one is: those whose correction it was, and itself.
  var origins: [RowOrigin] { (original.map(RowOrigin.of) ?? []) + [origin].compactMap(\.self) }
}
