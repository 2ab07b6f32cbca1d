import Core
import HTTPClient
import HTTPServer
import HostLoop
import TaskAPI
import Testing

/// Tests of the messages for requests that the API refuses. `URL` stands for the address of `/api/tasks`.
@HostActor @Suite struct TaskAPIErrorTests {
  struct Example: CustomTestStringConvertible, Sendable {
    var answer: ServerResponse
    var code: String
    var says: String
    var isRetryable = false
    var testDescription: String { "\(answer.status) \(code)" }
  }

  nonisolated static let examples: [Example] = [
    Example(
      answer: ServerResponse(
        status: 401,
        headers: [
          ("WWW-Authenticate", #"Bearer realm="Users", error="invalid_token", error_description="It is \"old\"""#)
        ]),
      code: "unauthorized",
      says: "POST URL was answered 401 (the token is not accepted): invalid_token: It is \"old\" "
        + "(sign in again; the token must be for this API: its client ID, its directory)"),
    Example(
      answer: ServerResponse(status: 401, headers: [("WWW-Authenticate", "Bearer")]), code: "unauthorized",
      says: "POST URL was answered 401 (the token is not accepted) "
        + "(sign in again; the token must be for this API: its client ID, its directory)"),
    Example(
      answer: ServerResponse(
        status: 403, text: #"{"error": "insufficient_scope", "error_description": "scp has no write"}"#,
        type: "application/json"),
      code: "forbidden",
      says: "POST URL was answered 403 (not allowed): insufficient_scope: scp has no write "
        + "(the token may lack a scope: see scopes in the settings)"),
    Example(
      answer: ServerResponse(status: 404, text: "<html>no</html>", type: "text/html"), code: "not_found",
      says: "POST URL was answered 404 (not found) (see taskAPI and tasksPath in the settings)"),
    Example(
      answer: ServerResponse(
        status: 409, text: #"{"code": "MissingTask", "message": "Text is a required parameter"}"#,
        type: "application/json"),
      code: "conflict", says: "POST URL was answered 409 (conflict): MissingTask: Text is a required parameter"),
    Example(
      answer: ServerResponse(status: 415), code: "unsupported_media_type",
      says: "POST URL was answered 415 (content type not accepted) "
        + "(contentType in the settings is application/x-www-form-urlencoded, set another)"),
    Example(
      answer: ServerResponse(status: 429, headers: [("Retry-After", "3")]), code: "too_many_requests",
      says: "POST URL was answered 429 (too many requests) (try again in 3 s)", isRetryable: true),
    Example(
      answer: ServerResponse(status: 500, text: "Cannot insert NULL\n  into Text", type: "text/plain"),
      code: "server_error",
      says: "POST URL was answered 500 (server error): Cannot insert NULL into Text (try again later)",
      isRetryable: true),
    Example(
      answer: ServerResponse(status: 503), code: "server_error",
      says: "POST URL was answered 503 (server error) (try again later)", isRetryable: true),
    Example(
      answer: ServerResponse(status: 400, text: #"{"Message": "Text is too long"}"#, type: "application/json"),
      code: "bad_request", says: "POST URL was answered 400 (bad request): Text is too long"),
    Example(
      answer: ServerResponse(status: 302, headers: [("Location", "https://login.example/")]), code: "unexpected_status",
      says: "POST URL was answered 302 (unexpected); nobody knows whether the task was added "
        + "(it points to https://login.example/, see taskAPI in the settings)"),
    Example(
      answer: ServerResponse(status: 202), code: "unexpected_status",
      says: "POST URL was answered 202 (accepted, not done); the task may still be added"),
    Example(
      answer: ServerResponse(status: 408), code: "unexpected_status",
      says: "POST URL was answered 408 (the request did not arrive in time)", isRetryable: true),
    Example(
      answer: ServerResponse(text: #"{"error": "quota"}"#, type: "application/json"), code: "unexpected_body",
      says: "POST URL was answered 200 with application/json, expected a task in JSON: "
        + "the answer says \"error\": \"quota\"; nobody knows whether the task was added "
        + "(is taskAPI in the settings the address of the task API?)"),
    Example(
      answer: ServerResponse(text: "\n<!DOCTYPE html>\n<title>Sign in</title>", type: "text/html"),
      code: "unexpected_body",
      says: "POST URL was answered 200 with text/html, expected a task in JSON: "
        + "it begins \"<!DOCTYPE html> <title>Sign in</title>\"; nobody knows whether the task was added "
        + "(is taskAPI in the settings the address of the task API?)"),
  ]

  @Test(arguments: examples) func addSays(_ example: Example) async throws {
    let server = try StubTaskServer(scripted: [example.answer])
    let url = "\(server.url)/api/tasks"
    let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("good"), baseURL: server.url)
    let error = try await #require(throws: TaskAPIError.self) { try await client.add(TaskDraft(text: "Buy milk")) }
    #expect(error.code == example.code)
    #expect(error.status == example.answer.status)
    #expect(error.description == example.says.replacing("URL", with: url))
    #expect(error.isRetryable == example.isRetryable)
  }

  @Test(arguments: [
    (#"{"value": []}"#, "it begins \"{\"value\": []}\""), ("", "the body is empty"),
    ("[1, 2]", "it begins \"[1, 2]\""), ("[{\"Id\": 1", "it begins \"[{\"Id\": 1\""),
  ])
  func listTakesNothingElse(body: String, says: String) async throws {
    let answer = ServerResponse(text: body, type: "application/json")
    let server = try StubTaskServer(scripted: [answer])
    let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("good"), baseURL: server.url + "/")
    let error = try await #require(throws: TaskAPIError.self) { try await client.list() }
    #expect(error.code == "unexpected_body")
    #expect(
      error.message == "GET \(server.url)/api/tasks was answered 200 with application/json, "
        + "expected a list of tasks in JSON: \(says)")
  }

  @Test(
    arguments: [
      ("120", nil, 120), ("0.5", nil, 0.5), ("-4", nil, 0), ("soon", nil, nil),
      ("Wed, 21 Oct 2026 07:28:30 GMT", "Wed, 21 Oct 2026 07:28:00 GMT", 30),
      ("Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:09 GMT", 0),
      ("Wed, 21 Oct -2147483648 07:28:00 GMT", nil, nil), ("Wed, 2147483647 Oct 2026 2147483647:1:1 GMT GMT", nil, nil),
    ] as [(String, String?, Double?)])
  func retryAfter(value: String, date: String?, seconds: Double?) async throws {
    let headers = [("Retry-After", value)] + (date.map { [("Date", $0)] } ?? [])
    let server = try StubTaskServer(scripted: [ServerResponse(status: 429, headers: headers)])
    let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("good"), baseURL: server.url)
    let error = try await #require(throws: TaskAPIError.self) { try await client.list() }
    #expect(error.retryAfter == seconds)
    #expect((error.details["retry_after"] != nil) == (seconds != nil))
  }

  @Test(arguments: [#"{"message": "you sent TOKEN"}"#, "you sent TOKEN"])
  func noPartOfATokenIsInMessages(body: String) async throws {
    let token = "long-token-" + String(repeating: "0123456789", count: 100)
    let answer = ServerResponse(status: 400, text: body.replacing("TOKEN", with: token), type: "text/plain")
    let server = try StubTaskServer(scripted: [answer])
    let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens(token), baseURL: server.url)
    let error = try await #require(throws: TaskAPIError.self) { try await client.list() }
    #expect(error.message.hasSuffix("you sent [secret]"))
  }

  @Test func tokensAreNotInMessages() async throws {
    let answer = ServerResponse(status: 400, text: #"{"message": "bad token s3cr3t-token"}"#, type: "application/json")
    let server = try StubTaskServer(scripted: [answer])
    let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("s3cr3t-token"), baseURL: server.url)
    let error = try await #require(throws: TaskAPIError.self) { try await client.list() }
    #expect(error.message.hasSuffix("bad token [secret]"))
    #expect(error.details["api_message"] == "bad token [secret]")
  }

  @Test func unreachableServer() async throws {
    let server = try StubTaskServer()
    let url = server.url
    server.stop()
    let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("good"), baseURL: url)
    let error = try await #require(throws: HTTPError.self) { try await client.list() }
    #expect(error.kind == .unreachable)
    #expect(error.mayHaveBeenReceived == false)
  }

  @Test(arguments: [
    ("tasks.example", "application/json", "taskAPI is \"tasks.example\", expected an http or https address"),
    (
      "http://127.0.0.1:1", "text/xml",
      "contentType is \"text/xml\", expected application/x-www-form-urlencoded, application/json, multipart/form-data"
    ),
  ])
  func settings(url: String, contentType: String, says: String) throws {
    let error = try #require(throws: TaskAPIError.self) {
      try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("good"), baseURL: url, contentType: contentType)
    }
    #expect(error.code == "invalid_setting")
    #expect(error.message == says)
  }
}
