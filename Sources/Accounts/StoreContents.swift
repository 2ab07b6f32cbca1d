package import DatabaseAddress
package import Databases
import Files
package import HostLoop

/// The contents of a store in numbers. Nothing is made, upgraded or opened with a key.
package struct StoreContents: Sendable {
  /// A part of the store: the accounts, and in a database the jobs and imports.
  package struct Part: Sendable, Equatable {
    package let name: String
    package let version: Int64
    /// The kinds of things and their number, by nouns such as `account`.
    package var counts: [(what: String, count: Int64)] = []

    package static func == (a: Part, b: Part) -> Bool {
      a.name == b.name && a.version == b.version && a.counts.elementsEqual(b.counts) { $0 == $1 }
    }
  }

  /// `SQLite`, or `PostgreSQL 15.5`.
  package let engine: String
  package let parts: [Part]
  /// The versions of the parts that this program makes.
  package let known: [String: Int64]
  /// True for a database of several machines.
  package let isShared: Bool

  /// `1 secret`, `2 secrets`
  package static func text(_ count: Int64, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// The tables of each part with what their rows are.
  private static let tables: [(part: String, tables: [(name: String, what: String)])] = [
    ("accounts", [("account", "account"), ("secret", "secret"), ("saved_key", "key")]),
    ("jobs", [("job", "job"), ("run", "run")]),
    ("imports", [("import", "import")]),
  ]

  @HostActor
  package init(of address: PostgresAddress, known: [Migrations]) async throws {
    isShared = true
    self.known = Dictionary(known.map { ($0.part, Int64($0.steps.count)) }) { $1 }
    let database = PostgresDatabase(address)
    let version = try await database.first("SELECT current_setting('server_version')")?[0].text ?? ""
    engine = "PostgreSQL \(version.prefix { $0 != " " })"
    var parts: [Part] = []
    let counted = try await database.first("SELECT 1 WHERE to_regclass('schema_version') IS NOT NULL") != nil
    let rows = counted ? try await database.query("SELECT part, version FROM schema_version ORDER BY part") : []
    for row in rows {
      let read = row.reader(of: "schema_version", in: address.shown)
      var part = Part(name: try read.text("part"), version: try read.integer("version", in: RowReader.counts))
      for (table, what) in Self.tables.first(where: { $0.part == part.name })?.tables ?? [] {
        guard try await database.first("SELECT 1 WHERE to_regclass(?) IS NOT NULL", .text(table)) != nil else {
          continue
        }
        let count = try await database.first("SELECT count(*) FROM \(table)")?[0].integer
        part.counts.append((what, count ?? 0))
      }
      parts.append(part)
    }
    self.parts = parts
    await database.close()
  }

  /// The contents of the store in a folder; nil if there is none.
  @HostActor
  package init?(in folder: String) throws(AccountError) {
    let path = "\(folder)/accounts.sqlite"
    guard FileSystem.exists(path) else { return nil }
    try StoreSchema.checkHeader(of: path)
    engine = "SQLite"
    isShared = false
    known = ["accounts": StoreSchema.version]
    do {
      let database = try SQLiteConnection(path: path, mustExist: true)
      var part = Part(name: "accounts", version: try database.first("PRAGMA user_version")?[0].integer ?? 0)
      let known = Set(try database.query("SELECT name FROM sqlite_schema").compactMap { $0[0].text })
      for (table, what) in Self.tables[0].tables where known.contains(table) {
        part.counts.append((what, try database.first("SELECT count(*) FROM \(table)")?[0].integer ?? 0))
      }
      parts = [part]
    } catch { throw StoreSchema.translate(error, path) }
  }
}
