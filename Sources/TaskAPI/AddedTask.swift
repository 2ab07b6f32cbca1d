import HTTPClient
import JSON

/// The answer of the API to a new task. An import only counts it; `task()` reads the task.
package struct AddedTask: Sendable {
  let draft: TaskDraft
  /// The response, whose meaning is `confirmed`.
  let response: HTTPResponse
  let request: String

  /// The HTTP status of the answer.
  package var status: Int { response.status }

  /// True if the server has shown that it takes requests with one `Idempotency-Key` for one request: it echoes the key,
  /// or says whether it has seen the key before.
  package var honorsIdempotencyKey: Bool {
    response.headers["Idempotency-Key"] != nil || response.headers["Idempotent-Replayed"] != nil
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
    guard response.body.contains(where: { !AnswerBody.isBlank($0) }) else { return APITask(text: draft.text) }
    guard let json = try? JSON(parsing: response.body), let task = APITask(json) else {
      throw TaskAPIError.unconfirmed(response, to: request, .adding)
    }
    return task
  }
}
