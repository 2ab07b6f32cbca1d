package import HostLoop
package import JSON

/// Carries out edits at a service: each only if the task is still as the edit knows it. Where the service compares versions, it
/// decides; elsewhere the task is read, compared and written.
@HostActor
package final class TaskEditor {
  private let service: any TaskService
  /// The tasks of a list that was just read, for a service that shows no single task.
  private var listed: (tasks: [String: APITask], until: Double)?

  /// A list counts as read just now for as many times as long as it took to read.
  private static let listing = 10.0

  package init(_ service: any TaskService) { self.service = service }

  /// - Parameters:
  ///   - draft: a draft with an edit.
  ///   - isAgain: true if an earlier request may have arrived.
  /// - Throws: `conflict` for a task that has changed since, and `not_found` for one that is gone. Nothing was written then.
  package func perform(_ draft: TaskDraft, _ edit: TaskEdit, isAgain: Bool) async throws -> AddedTask {
    if edit.task.isCompared, !isAgain {
      do { return try await write(draft, edit, edit.known) } catch let error as TaskAPIError
        where error.kind == .conflict || error.kind == .notFound
      {
        guard let now = try await current(edit.task.id) else { throw TaskAPIError.isGone }
        throw now.version == edit.task.entityTag ? error : .changedSince(edit, now)
      }
    }
    guard let now = try await current(edit.task.id) else {
      // An earlier request has removed it.
      if isAgain, edit.changes == nil { return AddedTask(draft: draft, edit: edit, task: nil) }
      throw TaskAPIError.isGone
    }
    if isAgain, edit.isDone(in: now) { return AddedTask(draft: draft, edit: edit, task: now) }
    guard now.version == edit.task.entityTag else { throw TaskAPIError.changedSince(edit, now) }
    return try await write(draft, edit, now)
  }

  private func write(_ draft: TaskDraft, _ edit: TaskEdit, _ task: APITask) async throws -> AddedTask {
    guard let changes = edit.changes else {
      try await service.remove(task)
      listed?.tasks[edit.task.id] = nil
      return AddedTask(draft: draft, edit: edit, task: nil)
    }
    let changed = try await service.update(task, changes)
    listed?.tasks[edit.task.id] = changed
    return AddedTask(draft: draft, edit: edit, task: changed)
  }

  private func current(_ id: String) async throws -> APITask? {
    if let listed, listed.until > HostLoop.uptime { return listed.tasks[id] }
    if service.readsTasks {
      let task = try await service.task(id: id)
      if service.readsTasks { return task }
    }
    let start = HostLoop.uptime
    var tasks: [String: APITask] = [:]
    try await service.each(list: nil) { task in
      if let id = task.id?.plainText { tasks[id] = task }
    }
    listed = (tasks, HostLoop.uptime + Self.listing * (HostLoop.uptime - start))
    return tasks[id]
  }
}

extension TaskAPIError {
  /// Nothing was written, because the task is not there.
  fileprivate static var isGone: TaskAPIError {
    var error = TaskAPIError(kind: .notFound, message: "the task is not there any more")
    error.meaning = .refused
    return error
  }

  /// Nothing was written, because somebody has changed the task.
  fileprivate static func changedSince(_ edit: TaskEdit, _ task: APITask) -> TaskAPIError {
    let names = edit.differences(in: task)
    let what =
      names.isEmpty
      ? "it has another version now"
      : names.prefix(3).map { "\($0) was \(edit.words($0)) and is \(task.words($0))" }.joined(separator: ", ")
    var error = TaskAPIError(kind: .conflict, message: "somebody has changed the task since: \(what)")
    error.meaning = .refused
    return error
  }
}

extension TaskEdit {
  fileprivate func words(_ name: String) -> String { (old[name] ?? .null).shown }
}

extension APITask {
  fileprivate func words(_ name: String) -> String { (commonFields[name] ?? raw[name] ?? .null).shown }
}

extension JSON {
  /// The value for a person: short, and "nothing" for none.
  package var shown: String {
    switch self {
    case .null, .bool(false): "nothing"
    case .bool(true): "yes"
    default: "\"\(plainText.prefix(60))\""
    }
  }
}
