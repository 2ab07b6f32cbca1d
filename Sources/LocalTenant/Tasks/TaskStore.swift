import Databases
import JSON

final class TaskStore {
  private let database: SQLiteConnection
  private let clock: TenantClock
  /// The number of changes of each owner's list. With `run` it makes an entity tag.
  private var versions: [String: Int] = [:]
  private let run = GUID.random()

  init(_ database: SQLiteConnection, _ clock: TenantClock) {
    self.database = database
    self.clock = clock
  }

  /// The owner's tasks, oldest first; all if `atMost` is negative.
  func list(_ owner: String, atMost: Int = -1) throws -> [TenantTask] {
    try database.query(
      "SELECT * FROM tasks WHERE owner = ? ORDER BY id LIMIT ?", .text(owner), .integer(Int64(atMost))
    ).map(TenantTask.init)
  }

  /// The owner's tasks as JSON for the task API. SQLite makes the JSON, because a list may be long.
  func listAsJSON(_ owner: String) throws -> String {
    try database.first(
      """
      SELECT json_group_array(json_patch(coalesce(fields, '{}'), json_object(
        'Id', id, 'Owner', owner, 'Text', text, 'Completed', json(iif(completed = 1, 'true', 'false')),
        'DateModified', strftime('%Y-%m-%dT%H:%M:%SZ', modified, 'unixepoch'),
        'ETag', '"' || id || '-' || version || '"')))
      FROM (SELECT * FROM tasks WHERE owner = ? ORDER BY id)
      """, .text(owner))?[0].text ?? "[]"
  }

  func task(_ id: Int64, of owner: String) throws -> TenantTask? {
    try database.first("SELECT * FROM tasks WHERE id = ? AND owner = ?", .integer(id), .text(owner)).map(
      TenantTask.init)
  }

  func count() throws -> Int { Int(try database.first("SELECT count(*) FROM tasks")?[0].integer ?? 0) }

  func add(_ task: NewTask, text: String, owner: String) throws -> TenantTask {
    let now = clock.now
    // A new task of a client that knows only the old fields is as it always was.
    let given = task.fields.present
    let fields = given.isEmpty ? given : task.completing(given, isCompleted: task.isCompleted, at: clock)
    try database.execute(
      "INSERT INTO tasks (owner, text, completed, modified, fields) VALUES (?, ?, ?, ?, ?)",
      .text(owner), .text(text), .integer(task.isCompleted ? 1 : 0), .integer(Int64(now)), Self.stored(fields))
    versions[owner, default: 0] += 1
    return TenantTask(
      id: database.lastInsertedID, owner: owner, text: text, isCompleted: task.isCompleted, time: now, fields: fields)
  }

  /// Changes what the request names. Returns the task after the change.
  func change(_ item: TenantTask, by request: NewTask, text: String) throws -> TenantTask {
    let isCompleted = request.completed ?? item.isCompleted
    let fields = request.completing(request.fields.merged(into: item.fields), isCompleted: isCompleted, at: clock)
    let changed = TenantTask(
      id: item.id, owner: item.owner, text: text, isCompleted: isCompleted, time: clock.now, fields: fields,
      version: item.version + 1)
    try database.execute(
      "UPDATE tasks SET text = ?, completed = ?, modified = ?, fields = ?, version = ? WHERE id = ?",
      .text(text), .integer(isCompleted ? 1 : 0), .integer(Int64(changed.time)), Self.stored(fields),
      .integer(changed.version), .integer(item.id))
    versions[item.owner, default: 0] += 1
    return changed
  }

  /// Null for a task that has none, which is as small as before.
  private static func stored(_ fields: [String: JSON]) -> SQLValue {
    fields.isEmpty ? .null : .text(JSON.object(fields).encoded())
  }

  /// Adds the task. If the key was used before, adds nothing and returns the earlier task.
  func add(_ task: NewTask, text: String, owner: String, key: String) throws -> (TenantTask?, isNew: Bool) {
    if let known = try database.first(
      "SELECT task, text FROM idempotency WHERE owner = ? AND key = ?", .text(owner), .text(key))
    {
      guard known["text"].text == text, let id = known["task"].integer else { return (nil, false) }
      // The earlier task may have been deleted; it is not added again.
      let item = try self.task(id, of: owner)
      return (
        item ?? TenantTask(id: id, owner: owner, text: text, isCompleted: task.isCompleted, time: clock.now), false
      )
    }
    let item = try database.transaction {
      let item = try add(task, text: text, owner: owner)
      try database.execute(
        "INSERT INTO idempotency (owner, key, text, task) VALUES (?, ?, ?, ?)",
        .text(owner), .text(key), .text(text), .integer(item.id))
      return item
    }
    return (item, true)
  }

  func remove(_ id: Int64, of owner: String) throws -> Bool {
    try database.execute("DELETE FROM tasks WHERE id = ? AND owner = ?", .integer(id), .text(owner))
    guard database.changes > 0 else { return false }
    versions[owner, default: 0] += 1
    return true
  }

  /// The entity tag of the list. Each change of the list changes it.
  func entityTag(_ owner: String) -> String { "\"\(run.prefix(8))-\(versions[owner] ?? 0)\"" }
}

extension TenantTask {
  fileprivate init(_ row: Row) {
    self.init(
      id: row["id"].integer ?? 0, owner: row["owner"].text ?? "", text: row["text"].text ?? "",
      isCompleted: row["completed"].integer == 1, time: Int(row["modified"].integer ?? 0),
      fields: row["fields"].text.flatMap { (try? JSON(parsing: $0))?.object } ?? [:],
      version: row["version"].integer ?? 0)
  }
}
