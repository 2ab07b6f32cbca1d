package import Core
import Databases

extension JobStore {
  /// True if the job has received a request with this ID.
  package func hasHook(_ id: String, of job: String) async throws -> Bool {
    try await statements.first("SELECT 1 FROM hook WHERE job = ? AND id = ?", .text(job), .text(id)) != nil
  }

  /// Returns false if the job has received a request with this ID. Another machine may receive it at the same moment.
  @discardableResult
  package func addHook(_ id: String, of job: String, at time: Int64) async throws -> Bool {
    try await statements.execute(
      "INSERT INTO hook VALUES (?, ?, ?) ON CONFLICT DO NOTHING", .text(job), .text(id), .integer(time)) == 1
  }

  package func removeHooks(before time: Int64) async throws {
    try await statements.execute("DELETE FROM hook WHERE received < ?", .integer(time))
  }

  /// Throws if the store takes no changes. It changes something, and takes it back.
  package func proveWritable() async throws {
    try await transaction { store in
      try await store.addHook("/readyz", of: "", at: 0)
      try await store.statements.execute("DELETE FROM hook WHERE job = '' AND id = '/readyz'")
    }
  }

  /// A file that a job has been told of.
  package struct SeenFile: Sendable, Hashable {
    package var inode: Int64
    package var size: Int64
    /// In nanoseconds since 1970.
    package var modified: Int64

    package init(inode: Int64, size: Int64, modified: Int64) {
      (self.inode, self.size, self.modified) = (inode, size, modified)
    }
  }

  /// By their paths: PostgreSQL and SQLite compare them byte by byte as well.
  package func files(of job: String) async throws -> [FilePath: SeenFile] {
    var files: [FilePath: SeenFile] = [:]
    for row in try await rows(of: "file", key: ["path"], "SELECT * FROM file WHERE job = ?", .text(job)) {
      files[FilePath(try row.text("path"))] = SeenFile(
        inode: try row.integer("inode", in: RowReader.any), size: try row.integer("size", in: RowReader.any),
        modified: try row.integer("modified", in: RowReader.any))
    }
    return files
  }

  package func save(_ file: SeenFile, at path: String, of job: String) async throws {
    try await statements.execute(
      """
      INSERT INTO file VALUES (?, ?, ?, ?, ?) ON CONFLICT (job, path) DO UPDATE SET inode = excluded.inode,
        size = excluded.size, modified = excluded.modified
      """, .text(job), .text(path), .integer(file.inode),
      .integer(file.size), .integer(file.modified))
  }

  package func removeFile(_ path: String, of job: String) async throws {
    try await statements.execute("DELETE FROM file WHERE job = ? AND path = ?", .text(job), .text(path))
  }
}
