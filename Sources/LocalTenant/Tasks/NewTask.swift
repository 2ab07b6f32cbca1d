import HTTPServer
import JSON

struct TaskRefusal: Error {
  let status: Int
  /// For the statuses 401 and 403, the error of the bearer token (RFC 6750 §3.1); nil if there is no token.
  let code: String?
  let message: String
  /// Further header fields of the answer.
  let headers: [(String, String)]

  /// Further parameters of the challenge, each behind a comma.
  let parameters: String

  init(
    _ status: Int, _ code: String?, _ message: String, headers: [(String, String)] = [], parameters: String = ""
  ) {
    self.headers = headers
    self.parameters = parameters
    self.status = status
    self.code = code
    self.message = message
  }

  var isOfToken: Bool { status == 401 || status == 403 }

  /// The header fields of an answer about the token: `WWW-Authenticate` (RFC 6750 §3, RFC 9449 §7.1). With the status 401 it
  /// offers both types of token, the one of the request first, which has the error.
  /// - Parameter reason: the further parameters behind the error; an error without them is left out, but for proofs.
  func challenges(_ request: ServerRequest, realm: String, reason: String = "") -> [(String, String)] {
    guard isOfToken else { return [] }
    let isOfProof = code == "use_dpop_nonce" || code == "invalid_dpop_proof"
    let isTold = isOfProof || !reason.isEmpty || !parameters.isEmpty
    let error = (isTold ? code : nil).map { ", error=\"\($0)\"\(reason)\(parameters)" } ?? ""
    let bearer = "Bearer realm=\"\(realm)\""
    let proven = "DPoP algs=\"\(ProofCheck.algorithms.joined(separator: " "))\""
    let isProven = isOfProof || request.header("Authorization")?.lowercased().hasPrefix("dpop ") == true
    let (first, second) = isProven ? (proven, bearer) : (bearer, proven)
    let all = status == 401 ? [first + error, second] : [first + error]
    return all.map { ("WWW-Authenticate", $0) } + headers
  }
}

/// The fields of a task in a request that adds or changes it.
struct NewTask {
  let text: String?
  /// Nil if the request does not say.
  let completed: Bool?
  let fields: TaskFields

  var isCompleted: Bool { completed ?? false }

  /// - Parameter takesMultipart: true if the form may be `multipart/form-data`.
  init(_ request: ServerRequest, takesMultipart: Bool = false) throws(TaskRefusal) {
    switch request.mediaType {
    case "application/x-www-form-urlencoded": try self.init(form: request.form)
    case "multipart/form-data" where takesMultipart: try self.init(form: request.multipartForm)
    case "application/json", "application/merge-patch+json": try self.init(json: request.body)
    case let other:
      throw TaskRefusal(
        415, "unsupported_media_type",
        "the body must be application/x-www-form-urlencoded or application/json, not \(other ?? "untyped")")
    }
  }

  private init(form: [(String, String)]) throws(TaskRefusal) {
    text = form.first { $0.0.lowercased() == "text" }?.1
    completed = form.first { $0.0.lowercased() == "completed" }.map { $0.1.lowercased() == "true" }
    fields = try TaskFields(form.map { ($0.0, $0.1.isEmpty ? .null : .string($0.1)) })
  }

  private init(json body: [UInt8]) throws(TaskRefusal) {
    let json: JSON
    do {
      json = try JSON(parsing: body)
    } catch { throw TaskRefusal(400, "invalid_json", "the body is not JSON: \(error.message)") }
    guard let members = json.object else { throw TaskRefusal(400, "invalid_json", "the body must be a JSON object") }
    text = members.first { $0.key.lowercased() == "text" }?.value.string
    completed = members.first { $0.key.lowercased() == "completed" }.map { $0.value.bool ?? false }
    fields = try TaskFields(members.map { ($0.key, $0.value) })
  }

  /// A completed task has the time of its completion.
  func completing(_ fields: [String: JSON], isCompleted: Bool, at clock: TenantClock) -> [String: JSON] {
    var fields = fields
    if !isCompleted { fields["CompletedAt"] = nil }
    if isCompleted, fields["CompletedAt"] == nil { fields["CompletedAt"] = .string(TenantClock.date(clock.now)) }
    return fields
  }

  /// Returns the text if it is present and not too long.
  /// - Parameter old: the text of a task that the request changes; nil for a new task.
  func checkedText(_ old: String? = nil) throws(TaskRefusal) -> String {
    guard let text = text ?? old, !text.trimmingSpaces.isEmpty else {
      throw TaskRefusal(400, "missing_text", "the field Text is missing or empty")
    }
    guard text.unicodeScalars.count <= TaskEndpoint.longestText else {
      throw TaskRefusal(
        400, "text_too_long",
        "the field Text has \(text.unicodeScalars.count) characters, more than \(TaskEndpoint.longestText)")
    }
    return text
  }
}
