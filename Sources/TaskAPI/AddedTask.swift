import HTTPClient
import JSON

/// The answer to a new task. An import only counts it; `task()` reads the task.
package struct AddedTask: Sendable {
  private enum Answer {
    /// The response, whose meaning is `confirmed`, and the request.
    case response(HTTPResponse, to: String)
    case task(APITask)
  }

  private let draft: TaskDraft
  private let answer: Answer
  /// The task as the server names it; nil if the answer has no ID.
  package let reference: TaskReference?

  init(draft: TaskDraft, response: HTTPResponse, request: String, _ read: NewTaskAnswer?) {
    self.draft = draft
    reference = read?.id.map { id in
      TaskReference(
        id: id, entityTag: read?.entityTag ?? response.headers["ETag"] ?? Self.version(response, read),
        list: draft.fields.isEmpty ? nil : draft.fields[TaskField.list.rawValue]?.string)
    }
    answer = .response(response, to: request)
  }

  /// The answer of a service that gives the task.
  /// - Parameter isNew: false for a task that was found, which somebody may have changed since.
  /// - Throws: an error that leaves the fate of the task open, if the answer cannot be about the task.
  package init(draft: TaskDraft, task: APITask, of service: String, isNew: Bool) throws(TaskAPIError) {
    let checked = NewTaskAnswer(task, to: draft, comparesText: isNew)
    guard checked.isConfirmation else { throw .implausible("\(service): \(checked.doubt ?? "the answer is no task")") }
    self.draft = draft
    reference = TaskReference(task)
    answer = .task(task)
  }

  /// A task that was changed, or is as the change would have it; nil for one that was removed.
  init(draft: TaskDraft, edit: TaskEdit, task: APITask?) {
    self.draft = draft
    reference = task.flatMap { TaskReference($0) } ?? edit.task
    answer = .task(task ?? APITask(text: draft.text, id: .string(edit.task.id)))
  }

  /// The version of a task without an entity tag, if the answer has more fields than each task.
  private static func version(_ response: HTTPResponse, _ read: NewTaskAnswer?) -> String? {
    guard let read, !read.isBare, let json = try? JSON(parsing: response.body) else { return nil }
    return APITask(json)?.version
  }

  /// The HTTP status of the answer.
  package var status: Int {
    switch answer {
    case .response(let response, _): response.status
    case .task: 201
    }
  }

  /// True if the server has shown that it takes requests with one `Idempotency-Key` for one request: it echoes the key,
  /// or says whether it has seen the key before. Services declare it.
  package var honorsIdempotencyKey: Bool {
    guard case .response(let response, _) = answer else { return false }
    return response.headers["Idempotency-Key"] != nil || response.headers["Idempotent-Replayed"] != nil
  }

  /// The sent fields that the answer does not have as they were sent. Without a body, nobody knows; the completion is what all
  /// servers know.
  package var lostFields: [String] {
    guard let task = try? task(), task.raw != .null else {
      return draft.fields.keys.filter { $0 != "completed" }.sorted()
    }
    return task.lost(of: draft.fields)
  }

  /// The task as the server has it; after an answer without a body, the text that was sent and no ID.
  package func task() throws(TaskAPIError) -> APITask {
    switch answer {
    case .task(let task): return task
    case .response(let response, let request):
      guard response.body.contains(where: { !AnswerBody.isBlank($0) }) else { return APITask(text: draft.text) }
      guard let json = try? JSON(parsing: response.body), let task = APITask(json) else {
        throw TaskAPIError.unconfirmed(response, to: request, .adding)
      }
      return task
    }
  }
}
