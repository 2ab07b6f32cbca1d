import Core
import HostLoop

/// The schema of one part of a database: `accounts`, `jobs`, `imports` or `leases`. The parts count their versions apart,
/// in the table `schema_version`. Steps go forward only. A released step never changes; add another.
///
/// The tables are in the first schema of the user's search path, which is `public` unless somebody set another.
package struct Migrations: Sendable {
  package let part: String
  /// The statements of each step. Version 1 is what the first one makes.
  package let steps: [[String]]

  package init(_ part: String, _ steps: [[String]]) {
    self.part = part
    self.steps = steps
  }

  /// The state of the part in a database.
  package enum State: Sendable, Equatable {
    /// The database has no table of the part.
    case missing
    case older(Int)
    case current
    /// A newer program made it.
    case newer(Int)
  }

  /// Looks without changing anything.
  @HostActor
  package func state(of statements: any Statements) async throws -> State {
    guard try await Self.areCounted(in: statements) else { return .missing }
    let row = try await statements.first("SELECT version FROM schema_version WHERE part = ?", .text(part))
    return state(try Self.version(row, statements))
  }

  /// True if the database has the table of versions.
  @HostActor
  private static func areCounted(in statements: any Statements) async throws -> Bool {
    let table =
      switch statements.dialect {
      case .sqlite: "SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'"
      case .postgresql: "SELECT 1 WHERE to_regclass('schema_version') IS NOT NULL"
      }
    return try await statements.first(table) != nil
  }

  private static func version(_ row: Row?, _ statements: any Statements) throws(DamagedRow) -> Int {
    let place = (statements as? any Database)?.place ?? "the database"
    guard let row else { return 0 }
    return Int(try row.reader(of: "schema_version", in: place).integer("version", in: 0...Int64(Int32.max)))
  }

  private func state(_ version: Int) -> State {
    switch version {
    case 0: .missing
    case steps.count: .current
    case ..<steps.count: .older(version)
    default: .newer(version)
    }
  }

  /// Checks that a program may use the part, and makes it in a database that has none of it. An older part stays as it
  /// is, because other machines may use it: `store upgrade` is a person's decision.
  /// - Throws: `SchemaError`, or the database's error if the user may not make tables.
  @HostActor
  package func demand(in database: any Database) async throws {
    switch try await state(of: database) {
    case .current: return
    case .missing: try await upgrade(database)
    case .older(let version): throw SchemaError(.tooOld, part, version, steps.count, database.place)
    case .newer(let version): throw SchemaError(.tooNew, part, version, steps.count, database.place)
    }
  }

  /// Checks that no newer program made the part. Throws `SchemaError`.
  @HostActor
  package func demandNotNewer(in database: any Database) async throws {
    guard case .newer(let version) = try await state(of: database) else { return }
    throw SchemaError(.tooNew, part, version, steps.count, database.place)
  }

  /// Brings the part to this program's version: all steps that are missing, or none.
  /// - Returns: the version before, which is 0 for a part that was not there.
  @HostActor @discardableResult
  package func upgrade(_ database: any Database) async throws -> Int {
    if try await !Self.areCounted(in: database) {
      do {
        try await database.execute("CREATE TABLE schema_version (part TEXT PRIMARY KEY, version BIGINT NOT NULL)")
      } catch {
        // Another machine may have made it at the same moment.
        guard try await Self.areCounted(in: database) else { throw error }
      }
    }
    return try await database.transaction { statements in
      // Locks the row against another machine's upgrade.
      try await statements.execute(
        """
        INSERT INTO schema_version (part, version) VALUES (?, 0)
        ON CONFLICT (part) DO UPDATE SET version = schema_version.version
        """, .text(part))
      let row = try await statements.first("SELECT version FROM schema_version WHERE part = ?", .text(part))
      let found = try Self.version(row, database)
      if found > steps.count { throw SchemaError(.tooNew, part, found, steps.count, database.place) }
      for statement in steps.dropFirst(found).joined() { try await statements.execute(statement) }
      try await statements.execute(
        "UPDATE schema_version SET version = ? WHERE part = ?", .integer(Int64(steps.count)), .text(part))
      return found
    }
  }
}

/// A part of a database whose schema this program may not use.
package struct SchemaError: Failure {
  package enum Kind: String, Sendable {
    /// A newer version of the program made it.
    case tooNew = "database_too_new"
    /// An earlier version of the program made it.
    case tooOld = "database_too_old"
  }

  package let kind: Kind
  package let part: String
  package let found: Int
  package let known: Int
  package let place: String

  init(_ kind: Kind, _ part: String, _ found: Int, _ known: Int, _ place: String) {
    self.kind = kind
    self.part = part
    self.found = found
    self.known = known
    self.place = place
  }

  package var code: String { kind.rawValue }
  package var message: String {
    let whose = kind == .tooNew ? "a newer" : "an earlier"
    return "the tables of \(part) in \(place) have version \(found), made by \(whose) b2c-run; "
      + "this one knows version \(known)"
  }
  package var hint: String? {
    kind == .tooNew
      ? "update b2c-run on this machine; the tables have been left as they are"
      : "update b2c-run on all machines, and then run once, with the same --store: b2c-run store upgrade"
  }
  package var details: [String: String] {
    ["place": place, "part": part, "version": String(found), "known": String(known)]
  }
}
