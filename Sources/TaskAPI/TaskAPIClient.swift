import Core
package import HTTPClient
package import HostLoop
import JSON

/// The task API of one base address, for one token provider. Works with both servers of `/api/tasks`: the one whose
/// tasks have numbers, and the one whose tasks have an `_id` and are addressed by owner. Redirects are not followed: a
/// POST that becomes a GET on the way would look like a success.
@HostActor
package final class TaskAPIClient {
  private let http: HTTPClient
  private let tokens: any TokenProvider
  let url: String
  private let encoding: TaskEncoding
  private let tokenType: String
  private let customHeaders: HTTPHeaders
  private let timeout: Double
  private let onProgress: (@HostActor @Sendable (HTTPProgress) -> Void)?
  /// The seconds for each request by default.
  package nonisolated static let usualTimeout = 30.0
  /// The prepared request with the token last used: an import sends thousands of requests with one token.
  private var prepared: (token: Secret, post: PreparedPost)?
  private let adding: String
  /// False once the API has shown a task in its list only.
  package internal(set) var readsTasks = true

  /// - Parameters:
  ///   - baseURL: `taskAPI` of the settings, with or without a slash at its end.
  ///   - path: `tasksPath` of the settings.
  ///   - contentType: of new tasks; one of `TaskEncoding.names`.
  ///   - customHeaders: sent with each request; they may replace `Accept`, but neither `Authorization` nor `Content-Type`.
  ///   - tokenType: the scheme before a token that needs no proof.
  ///   - timeout: seconds for each request.
  package init(
    http: HTTPClient, tokens: any TokenProvider, baseURL: String, path: String = "/api/tasks",
    contentType: String = "application/x-www-form-urlencoded", customHeaders: HTTPHeaders = [:],
    tokenType: String = "Bearer", timeout: Double = usualTimeout,
    onProgress: (@HostActor @Sendable (HTTPProgress) -> Void)? = nil
  ) throws(TaskAPIError) {
    guard Origin(baseURL) != nil else {
      throw TaskAPIError(kind: .invalidSetting, message: "taskAPI is \"\(baseURL)\", expected an http or https address")
    }
    guard let encoding = TaskEncoding(contentType: contentType) else {
      throw TaskAPIError(
        kind: .invalidSetting,
        message: "contentType is \"\(contentType)\", expected \(TaskEncoding.names.joined(separator: ", "))")
    }
    self.http = http
    self.tokens = tokens
    self.encoding = encoding
    self.tokenType = tokenType
    self.customHeaders = customHeaders
    self.timeout = timeout
    self.onProgress = onProgress
    let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
    url = base + (path.hasPrefix("/") ? path : "/" + path)
    adding = "POST \(url)"
  }

  /// Adds a task. With an `idempotencyKey`, a server that honors it takes the same key for the same task.
  @discardableResult
  package func add(_ draft: TaskDraft, idempotencyKey: String? = nil) async throws -> AddedTask {
    let field = idempotencyKey.map { HTTPHeaders.Field(name: "Idempotency-Key", value: $0) }
    let body = encoding.encode(draft)
    let token = try await tokens.token(afterRejected: nil)
    let send: @HostActor (Secret) async throws -> HTTPResponse = { token in
      try await self.tokens.sending("POST", self.url, token) { proof in
        try await self.http.send(self.post(token), body: body, fields: [field, proof].compactMap(\.self))
      }
    }
    var response = try await send(token)
    var isRenewed = false
    if response.status == 401 || response.status == 421 {
      (response, isRenewed) = try await again(response, token, send)
    }
    let answer = [200, 201].contains(response.status) ? NewTaskAnswer(response.body, to: draft) : nil
    if AnswerMeaning(status: response.status, isConfirmation: answer?.isConfirmation ?? false) == .confirmed {
      return AddedTask(draft: draft, response: response, request: adding, answer)
    }
    throw failure(response, "POST", url, .adding, isRenewed: isRenewed, because: answer?.doubt)
  }

  /// Removes a task that the API gave. A task with an entity tag is not removed if it has changed since.
  package func remove(_ task: APITask) async throws {
    guard let id = task.id else {
      throw TaskAPIError(
        kind: .notFound, message: "the task \"\(task.text.prefix(40))\" has no ID",
        hint: "the server did not say one: take the task from the list")
    }
    try await remove(id: id.plainText, owner: task.isAddressedByOwner ? task.owner : nil, entityTag: task.entityTag)
  }

  /// Removes a task by its ID. The Node server needs the owner, too; without `owner`, the list of tasks tells it.
  package func remove(id: String, owner: String? = nil, entityTag: String? = nil) async throws {
    let parts = [owner, id].compactMap { $0 }.map(URLEncodedForm.percentEncode)
    let address = ([url] + parts).joined(separator: "/")
    let (response, isRenewed) = try await send("DELETE", address, fields: entityTag.map { [("If-Match", $0)] } ?? [])
    let meaning = AnswerMeaning(status: response.status, isConfirmation: AnswerBody.confirmsRemoving(response.body))
    if meaning == .confirmed { return }
    if owner == nil, response.status == 404 || response.status == 405,
      let task = try await list().first(where: { $0.id?.plainText == id && $0.isAddressedByOwner })
    {
      return try await remove(id: id, owner: task.owner)
    }
    throw failure(response, "DELETE", address, .removing, isRenewed: isRenewed)
  }

  /// Sends a request with a token. Returns the answer, and true if the token had just been renewed.
  func send(
    _ method: String, _ address: String, body: (bytes: [UInt8], type: String)? = nil,
    fields: [(String, String)] = [], onBody: (@HostActor @Sendable (UnsafeRawBufferPointer) -> Bool)? = nil
  ) async throws -> (response: HTTPResponse, isRenewed: Bool) {
    let send: @HostActor (Secret) async throws -> HTTPResponse = { token in
      try await self.tokens.sending(method, address, token) { proof in
        var headers = self.headers(token)
        if let proof { headers.append(proof.name, proof.value) }
        if let body { headers["Content-Type"] = body.type }
        for (name, value) in fields { headers[name] = value }
        var request = HTTPRequest(
          method: method, url: address, headers: headers, body: body?.bytes, timeout: self.timeout,
          followsRedirects: false,
          onBody: onBody, onProgress: self.onProgress)
        request.certificate = self.tokens.certificate
        return try await self.http.send(request)
      }
    }
    let token = try await tokens.token(afterRejected: nil)
    return try await again(try await send(token), token, send)
  }

  /// Repeats a request that was answered 401, with another token if there is one, or 421, on another connection. The
  /// server has done nothing before either answer, so this is safe for any method.
  private func again(
    _ first: HTTPResponse, _ token: Secret, _ send: @HostActor (Secret) async throws -> HTTPResponse
  ) async throws -> (response: HTTPResponse, isRenewed: Bool) {
    var response = first
    if response.status == 421 { response = try await sentAgain { try await send(token) } }
    return try await tokens.renewing(token, after: response) { other in
      try await self.sentAgain { try await send(other) }
    }
  }

  private func sentAgain(_ send: @HostActor () async throws -> HTTPResponse) async throws -> HTTPResponse {
    try await RequestScope.retrying(after: RequestScope.current.retries + 1, send)
  }

  private func headers(_ token: Secret) -> HTTPHeaders {
    var headers: HTTPHeaders = ["Accept": "application/json"]
    for field in customHeaders.fields { headers[field.name] = field.value }
    headers["Authorization"] = "\(tokens.prover == nil ? tokenType : "DPoP") \(token.reveal())"
    return headers
  }

  private func post(_ token: Secret) throws(HTTPError) -> PreparedPost {
    if let prepared, prepared.token == token { return prepared.post }
    var headers = headers(token)
    headers["Content-Type"] = encoding.contentType
    let post = try http.prepare(
      postTo: url, headers: headers, timeout: timeout, certificate: tokens.certificate, onProgress: onProgress)
    prepared = (token, post)
    return post
  }

  func failure(
    _ response: HTTPResponse, _ method: String, _ address: String, _ aim: TaskAPIError.Aim? = nil, isRenewed: Bool,
    because doubt: String? = nil
  ) -> TaskAPIError {
    if let aim, response.status == 200 || response.status == 201 {
      return .unconfirmed(response, to: "\(method) \(address)", aim, because: doubt)
    }
    var error = TaskAPIError(response, to: "\(method) \(address)", aim, contentType: encoding.contentType)
    error.isOfRenewedToken = isRenewed && response.status == 401
    return error
  }
}
