import Core
import Databases
package import ImportEngine
package import ImportFormats
package import JSON

extension SharedImport {
  /// The fingerprints of the first rows of a source, by which its import is known under another name.
  package struct Beginning: Sendable {
    private static let name = "beginning"
    private let rows: [String]

    package init(_ records: [SourceRecord]) { rows = records.map { String($0.fingerprint, radix: 16) } }

    fileprivate init(_ place: JSON) { rows = place[Self.name]?.array?.compactMap(\.string) ?? [] }

    /// The place of an import, with these rows. Programs before 1.1 pass over them.
    package func added(to place: JSON) -> JSON {
      guard !rows.isEmpty, var members = place.object else { return place }
      members[Self.name] = .array(rows.map(JSON.string))
      return .object(members)
    }

    /// True if both begin alike.
    fileprivate func isLike(_ other: Beginning) -> Bool { SourceBeginning.areAlike(rows, other.rows) }
  }
}

extension SharedImports {
  /// The last import of another source into the same account and API that added tasks, and whose first rows are these.
  package func earlier(
    _ identity: ImportIdentity, _ beginning: SharedImport.Beginning
  ) async throws -> JournalSummary? {
    let rows = try await database.query(
      "SELECT \(SharedImport.columns) FROM import WHERE account = ? AND api = ? AND source <> ? ORDER BY updated DESC",
      .text(identity.account), .text(identity.api), .text(identity.source))
    for other in damaged.readable(rows.map(record), SharedImport.init)
    where SharedImport.Beginning(other.place).isLike(beginning) {
      let found = try await summary(other)
      if found.counts.added + found.counts.unsettled + found.counts.unknown > 0 { return found }
    }
    return nil
  }
}
