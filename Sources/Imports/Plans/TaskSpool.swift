import Databases
import HostLoop
import JSON
import TaskAPI

/// All tasks of an account as they are now, in a temporary database: memory stays bounded, however many there are.
@HostActor
final class TaskSpool {
  private let database: SQLiteConnection

  init(_ service: any TaskService) async throws {
    let database = try SQLiteConnection.temporary()
    try database.executeScript(
      """
      PRAGMA cache_size = -8192;
      CREATE TABLE tasks (id TEXT PRIMARY KEY NOT NULL, parent TEXT, is_planned INTEGER NOT NULL DEFAULT 0, json TEXT NOT NULL) WITHOUT ROWID;
      CREATE INDEX parents ON tasks (parent) WHERE parent IS NOT NULL;
      BEGIN;
      """)
    self.database = database
    try await service.each(list: nil) { task in
      guard let id = task.id?.plainText, !id.isEmpty else { return }
      try database.execute(
        "INSERT OR REPLACE INTO tasks (id, parent, json) VALUES (?, ?, ?)", .text(id),
        .init(task.value(of: .parent)?.plainText), .text(task.raw.encoded()))
    }
    try database.executeScript("COMMIT; BEGIN")
  }

  /// The task with that ID; nil if there is none.
  func task(_ id: String) throws -> APITask? {
    guard let text = try database.first("SELECT json FROM tasks WHERE id = ?", .text(id))?[0].text else { return nil }
    return APITask(try JSON(parsing: text))
  }

  /// False if no task is below another one.
  func haveParents() throws -> Bool {
    try database.first("SELECT 1 FROM tasks WHERE parent IS NOT NULL LIMIT 1") != nil
  }

  /// Notes that the task is to be removed.
  func plan(_ id: String) throws { try database.execute("UPDATE tasks SET is_planned = 1 WHERE id = ?", .text(id)) }

  /// Notes that the task is not to be removed after all.
  func keep(_ id: String) throws { try database.execute("UPDATE tasks SET is_planned = 0 WHERE id = ?", .text(id)) }

  /// The text of a task below that one that is not to be removed; nil if there is none.
  func child(of id: String) throws -> String? {
    let found = try database.first(
      "SELECT json FROM tasks WHERE parent = ? AND is_planned = 0 LIMIT 1", .text(id))?[0].text
    return try found.flatMap { APITask(try JSON(parsing: $0))?.text }
  }
}
