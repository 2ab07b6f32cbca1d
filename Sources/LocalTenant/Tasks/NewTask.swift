import HTTPServer
import JOSE

/// A task as a client sends it, urlencoded or as JSON.
struct NewTask {
  struct Refusal: Error {
    let status: Int
    let code: String
    let message: String
  }

  let text: String
  let isCompleted: Bool

  static func read(_ request: ServerRequest) -> Result<NewTask, Refusal> {
    let text: String?
    var isCompleted = false
    switch request.mediaType {
    case "application/x-www-form-urlencoded":
      let form = request.form
      text = form.first { $0.0.lowercased() == "text" }?.1
      isCompleted = form.first { $0.0.lowercased() == "completed" }?.1.lowercased() == "true"
    case "application/json":
      do {
        let json = try JSON(parsing: request.body)
        guard let members = json.object else {
          return .failure(Refusal(status: 400, code: "invalid_json", message: "the body must be a JSON object"))
        }
        text = members.first { $0.key.lowercased() == "text" }?.value.string
        isCompleted = members.first { $0.key.lowercased() == "completed" }?.value.bool ?? false
      } catch {
        return .failure(Refusal(status: 400, code: "invalid_json", message: "the body is not JSON: \(error.message)"))
      }
    case let other:
      return .failure(
        Refusal(
          status: 415, code: "unsupported_media_type",
          message: "the body must be application/x-www-form-urlencoded or application/json, not \(other ?? "untyped")"))
    }
    guard let text, !text.trimmingSpaces.isEmpty else {
      return .failure(Refusal(status: 400, code: "missing_text", message: "the field Text is missing or empty"))
    }
    guard text.unicodeScalars.count <= TaskEndpoint.longestText else {
      return .failure(
        Refusal(
          status: 400, code: "text_too_long",
          message: "the field Text has \(text.unicodeScalars.count) characters, more than \(TaskEndpoint.longestText)"))
    }
    return .success(NewTask(text: text, isCompleted: isCompleted))
  }
}
