import HTTPClient
import JSON

/// The answer of the API to a new task. An import only counts it; `task()` reads the task.
package struct AddedTask: Sendable {
  private let draft: TaskDraft
  private let response: HTTPResponse
  private let request: String

  /// - Parameter response: one whose meaning is `confirmed`.
  init(_ response: HTTPResponse, draft: TaskDraft, request: String) {
    self.draft = draft
    self.response = response
    self.request = request
  }

  /// The meaning of an answer to a new task.
  static func meaning(of response: HTTPResponse) -> AnswerMeaning {
    AnswerMeaning(status: response.status, isConfirmation: AnswerBody.confirmsAdding(response.body))
  }

  /// The HTTP status of the answer.
  package var status: Int { response.status }

  /// True if the server has shown that it takes requests with one `Idempotency-Key` for one: it echoes the key, or says
  /// whether it has seen it before.
  package var honorsIdempotencyKey: Bool {
    response.headers["Idempotency-Key"] != nil || response.headers["Idempotent-Replayed"] != nil
  }

  /// The task as the server has it; where it sent no body, the text that was sent and no ID.
  package func task() throws(TaskAPIError) -> APITask {
    guard response.body.contains(where: { !AnswerBody.isBlank($0) }) else { return APITask(text: draft.text) }
    guard let json = try? JSON(parsing: response.body), let task = APITask(json) else {
      throw TaskAPIError.unconfirmed(response, to: request, .adding)
    }
    return task
  }
}
