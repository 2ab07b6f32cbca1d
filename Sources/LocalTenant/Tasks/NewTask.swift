import HTTPServer
import JSON

/// A task in a request.
struct NewTask {
  struct Refusal: Error {
    let status: Int
    let code: String
    let message: String
  }

  /// Nil if the request has no such field.
  let text: String?
  let isCompleted: Bool

  /// - Parameter takesMultipart: true if the form may be `multipart/form-data`.
  init(_ request: ServerRequest, takesMultipart: Bool = false) throws(Refusal) {
    switch request.mediaType {
    case "application/x-www-form-urlencoded": self.init(form: request.form)
    case "multipart/form-data" where takesMultipart: self.init(form: request.multipartForm)
    case "application/json": try self.init(json: request.body)
    case let other:
      throw Refusal(
        status: 415, code: "unsupported_media_type",
        message: "the body must be application/x-www-form-urlencoded or application/json, not \(other ?? "untyped")")
    }
  }

  private init(form: [(String, String)]) {
    text = form.first { $0.0.lowercased() == "text" }?.1
    isCompleted = form.first { $0.0.lowercased() == "completed" }?.1.lowercased() == "true"
  }

  private init(json body: [UInt8]) throws(Refusal) {
    let json: JSON
    do {
      json = try JSON(parsing: body)
    } catch {
      throw Refusal(status: 400, code: "invalid_json", message: "the body is not JSON: \(error.message)")
    }
    guard let members = json.object else {
      throw Refusal(status: 400, code: "invalid_json", message: "the body must be a JSON object")
    }
    text = members.first { $0.key.lowercased() == "text" }?.value.string
    isCompleted = members.first { $0.key.lowercased() == "completed" }?.value.bool ?? false
  }

  /// Returns the text if it is present and not too long.
  func checkedText() throws(Refusal) -> String {
    guard let text, !text.trimmingSpaces.isEmpty else {
      throw Refusal(status: 400, code: "missing_text", message: "the field Text is missing or empty")
    }
    guard text.unicodeScalars.count <= TaskEndpoint.longestText else {
      throw Refusal(
        status: 400, code: "text_too_long",
        message: "the field Text has \(text.unicodeScalars.count) characters, more than \(TaskEndpoint.longestText)")
    }
    return text
  }
}
