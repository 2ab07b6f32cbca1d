package import Databases
import ImportFormats

/// The tables of imports that several machines share, in PostgreSQL. Times are those of the database.
package enum SharedSchema {
  package static let migrations = Migrations("imports", [first])

  /// The latest end of a worker's lease that can be. A later one does not count.
  static let latestEnd = "now() + make_interval(secs => \(Lease.longest))"

  /// The condition of a worker that is alive.
  static let isAlive = "worker.lease_until > now() AND worker.lease_until <= \(latestEnd)"

  private static let first = [
    """
    CREATE TABLE import (
      id TEXT PRIMARY KEY, source TEXT NOT NULL, account TEXT NOT NULL, account_name TEXT NOT NULL, api TEXT NOT NULL,
      place TEXT NOT NULL, options TEXT NOT NULL, honors_key INTEGER, baseline_total BIGINT,
      planned BIGINT, rows BIGINT, digest BIGINT, state TEXT NOT NULL, rate DOUBLE PRECISION,
      pause_until TIMESTAMPTZ, low BIGINT NOT NULL DEFAULT 0, created TIMESTAMPTZ NOT NULL DEFAULT now(),
      updated TIMESTAMPTZ NOT NULL DEFAULT now(), added BIGINT NOT NULL DEFAULT 0, skipped BIGINT NOT NULL DEFAULT 0,
      failed BIGINT NOT NULL DEFAULT 0, unsettled BIGINT NOT NULL DEFAULT 0,
      earlier_added BIGINT NOT NULL DEFAULT 0, earlier_skipped BIGINT NOT NULL DEFAULT 0,
      earlier_failed BIGINT NOT NULL DEFAULT 0, earlier_unsettled BIGINT NOT NULL DEFAULT 0, trouble TEXT,
      UNIQUE (source, account, api)
    )
    """,
    // Each import has a partition, which is dropped whole: deleted rows would not give their room back.
    """
    CREATE TABLE block (
      import_id TEXT NOT NULL, no BIGINT NOT NULL, state TEXT NOT NULL, epoch BIGINT NOT NULL DEFAULT 0, owner TEXT,
      attempts INTEGER NOT NULL DEFAULT 0, first_row BIGINT NOT NULL, rows INTEGER NOT NULL, digest BIGINT NOT NULL,
      payload BYTEA NOT NULL, intent INTEGER NOT NULL DEFAULT 0, claimed TIMESTAMPTZ, result BYTEA,
      added INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
      unsettled INTEGER NOT NULL DEFAULT 0, unknown INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (import_id, no)
    ) PARTITION BY LIST (import_id)
    """,
    "CREATE INDEX block_open ON block (import_id, no) WHERE state <> 'done'",
    // It is compressed already.
    "ALTER TABLE block ALTER payload SET STORAGE EXTERNAL",
    """
    CREATE TABLE failure (
      import_id TEXT NOT NULL REFERENCES import ON DELETE CASCADE, row BIGINT NOT NULL, line BIGINT, code TEXT NOT NULL,
      status INTEGER, reason TEXT NOT NULL, text TEXT NOT NULL, is_unsettled INTEGER NOT NULL, content TEXT,
      PRIMARY KEY (import_id, row)
    )
    """,
    """
    CREATE TABLE baseline (
      import_id TEXT NOT NULL REFERENCES import ON DELETE CASCADE, batch BIGINT NOT NULL, hashes BYTEA NOT NULL,
      PRIMARY KEY (import_id, batch)
    )
    """,
    """
    CREATE TABLE worker (
      id TEXT PRIMARY KEY, machine TEXT NOT NULL, process BIGINT NOT NULL, boot TEXT NOT NULL, version TEXT NOT NULL,
      started TIMESTAMPTZ NOT NULL DEFAULT now(), beat BIGINT NOT NULL DEFAULT 0, lease_until TIMESTAMPTZ NOT NULL,
      import_id TEXT, added BIGINT NOT NULL DEFAULT 0, failed BIGINT NOT NULL DEFAULT 0, rate DOUBLE PRECISION
    )
    """,
  ]

  /// The statements that make the partition of an import. Attached like this, it need not wait for those who read other
  /// imports, such as a backup.
  static func makePartition(of id: String, _ place: String) throws(ImportError) -> [String] {
    let name = try partition(of: id, place)
    return [
      "CREATE TABLE \(name) (LIKE block INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)",
      "ALTER TABLE block ATTACH PARTITION \(name) FOR VALUES IN ('\(id)')",
    ]
  }

  static func dropPartition(of id: String, _ place: String) throws(ImportError) -> String {
    "DROP TABLE IF EXISTS \(try partition(of: id, place))"
  }

  private static func partition(of id: String, _ place: String) throws(ImportError) -> String {
    // The ID becomes a part of statements.
    guard ImportID.isID(id) else {
      throw .journalUnusable(
        "\(place) has an import with the ID '\(id)', which no b2c-run has made",
        hint: "somebody else has written to the database: see who may", path: place)
    }
    return "block_\(id)"
  }
}
