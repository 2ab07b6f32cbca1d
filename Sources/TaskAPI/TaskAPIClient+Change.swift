import Core
import HTTPClient
package import JSON

extension TaskAPIClient {
  /// The task with that ID; nil if there is none. A server that shows no single task is asked for its list.
  package func task(id: String) async throws -> APITask? {
    let address = "\(url)/\(URLEncodedForm.percentEncode(id))"
    let (response, isRenewed) = try await send("GET", address)
    switch response.status {
    case 200:
      guard let json = try? JSON(parsing: response.body), let task = APITask(json) else {
        throw TaskAPIError.unexpectedBody(response, to: "GET \(address)", expected: "a task in JSON")
      }
      if let other = task.other(than: id) {
        throw TaskAPIError.unexpectedBody(response, to: "GET \(address)", expected: "the task", reason: other)
      }
      return task
    case 404, 405:
      let listed = try await list().first { $0.id?.plainText == id }
      if listed != nil { readsTasks = false }
      return listed
    default: throw failure(response, "GET", address, isRenewed: isRenewed)
    }
  }

  /// Changes fields of a task (RFC 5789, RFC 7396). Null removes a field. With an entity tag, a task that has changed meanwhile is not
  /// overwritten.
  /// - Parameter changes: see `TaskDraft.change`.
  /// - Returns: the task after the change.
  /// - Throws: `conflict` if the task has another entity tag; `cannot_change` if the API changes no tasks.
  package func update(id: String, _ changes: [String: JSON], entityTag: String?) async throws -> APITask {
    let address = "\(url)/\(URLEncodedForm.percentEncode(id))"
    let body = Array(JSON.object(TaskDraft.wire(changes)).encoded().utf8)
    let (response, isRenewed) = try await send(
      "PATCH", address, body: (body, "application/json"), fields: entityTag.map { [("If-Match", $0)] } ?? [])
    switch response.status {
    case 200:
      guard let json = try? JSON(parsing: response.body), let task = APITask(json), task.id != nil else {
        throw TaskAPIError.unconfirmed(response, to: "PATCH \(address)", .changing)
      }
      if let other = task.other(than: id) {
        throw TaskAPIError.unconfirmed(response, to: "PATCH \(address)", .changing, because: other)
      }
      return task
    case 204: return try await task(id: id) ?? APITask(text: "")
    case 405, 501:
      throw TaskAPIError(
        kind: .cannotChange, message: "the task API at \(url) changes no tasks: PATCH was answered \(response.status)",
        hint: "remove the task, and add it with the changes", status: response.status)
    default: throw failure(response, "PATCH", address, .changing, isRenewed: isRenewed)
    }
  }
}

extension APITask {
  /// The reason why the answer to a request for the task `id` is about another task; nil if it is about that one.
  fileprivate func other(than id: String) -> String? {
    guard let own = self.id?.plainText, own != id else { return nil }
    return "it is the task \(own.prefix(80))"
  }

  /// The fields that were sent and that the server's answer does not have, or has with another value.
  package func lost(of fields: [String: JSON]) -> [String] {
    fields.compactMap { name, sent in
      guard let field = TaskField(rawValue: name) else {
        return raw.object?.contains { $0.key.lowercased() == name.lowercased() } ?? false ? nil : name
      }
      return field.isKept(sent, in: value(of: field)) ? nil : name
    }.sorted()
  }
}
