import Core
import HTTPClient
import HTTPServer
import HostLoop
import JSON
import TaskAPI
import Testing

@HostActor @Suite struct TaskAPIClientTests {
  private func client(
    _ server: StubTaskServer, contentType: String = "application/x-www-form-urlencoded",
    tokens: StubTokens = StubTokens("good"), headers: HTTPHeaders = [:]
  ) throws -> TaskAPIClient {
    try TaskAPIClient(
      http: HTTPClient(), tokens: tokens, baseURL: server.url, contentType: contentType, customHeaders: headers)
  }

  @Test func netContract() async throws {
    let server = try StubTaskServer(.net)
    let client = try client(server)
    #expect(try await client.list() == [])
    let added = try await client.add(TaskDraft(text: "Buy milk")).task()
    // 204 has no body: only the sent values are known.
    #expect(added == APITask(text: "Buy milk"))
    try await client.add(TaskDraft(text: "Call Ada"))

    let tasks = try await client.list()
    #expect(tasks.map(\.id) == [1, 2])
    #expect(tasks.map(\.text) == ["Buy milk", "Call Ada"])
    #expect(tasks[0].owner == "0000-1")
    #expect(tasks[0].completed == false)
    #expect(tasks[0].date == "2016-03-01T10:20:30Z")
    #expect(tasks[0].raw["Id"] == 1)

    try await client.remove(tasks[0])
    try await client.remove(id: "2")
    #expect(try await client.list() == [])
    #expect(server.requests.map(\.method) == ["GET", "POST", "POST", "GET", "DELETE", "DELETE", "GET"])
    #expect(server.requests[4].target == "/api/tasks/1")
    #expect(server.requests[0].header("Accept") == "application/json")
  }

  @Test func nodeContract() async throws {
    let server = try StubTaskServer(.node)
    let client = try client(server)
    let first = try await client.add(TaskDraft(text: "Buy milk")).task()
    #expect(first.id == "57a1")
    #expect(first.owner == "alice o'hara")
    try await client.add(TaskDraft(text: "Call Ada"))

    try await client.remove(first)
    // The owner is not given here, so it comes from the list.
    try await client.remove(id: "57a2")
    #expect(try await client.list() == [])
    #expect(server.requests[2].target == "/api/tasks/alice%20o%27hara/57a1")
  }

  @Test(arguments: [StubTaskServer.Dialect.net, .node], ["application/x-www-form-urlencoded", "application/json"])
  func textArrivesUnchanged(dialect: StubTaskServer.Dialect, contentType: String) async throws {
    try await roundTrip(StubTaskServer(dialect), contentType)
  }

  @Test func textArrivesUnchangedInMultipart() async throws {
    try await roundTrip(StubTaskServer(.node), "multipart/form-data")
  }

  private func roundTrip(_ server: StubTaskServer, _ contentType: String) async throws {
    let client = try client(server, contentType: contentType)
    let texts = ["a=b&c+d %41", "say \"hi\"\r\nand\tbye", "Γάλα 牛奶 حليب दूध 🥛", "--task-\r\n\r\n", "\\u0041 \0."]
    for text in texts { try await client.add(TaskDraft(text: text)) }
    #expect(try await client.list().map(\.text) == texts)
  }

  @Test func furtherFieldsAreSent() async throws {
    let server = try StubTaskServer(.net)
    let client = try client(server)
    try await client.add(TaskDraft(text: "Buy milk", fields: ["Completed": true, "Priority": 2, "Note": "soon"]))
    #expect(
      String(decoding: server.requests[0].body, as: UTF8.self) == "Text=Buy+milk&Completed=true&Note=soon&Priority=2")
    let asJSON = try self.client(server, contentType: "application/json; charset=utf-8")
    try await asJSON.add(TaskDraft(text: "Buy milk", fields: ["Completed": true]))
    #expect(try JSON(parsing: server.requests[1].body) == ["Text": "Buy milk", "Completed": true])
  }

  @Test func headersGoAlong() async throws {
    let server = try StubTaskServer(.net)
    let client = try client(server, headers: ["X-Tenant": "contoso", "Authorization": "Bearer other"])
    try await client.add(TaskDraft(text: "Buy milk"), idempotencyKey: "row-17")
    let request = server.requests[0]
    #expect(request.header("X-Tenant") == "contoso")
    #expect(request.header("Authorization") == "Bearer good")
    #expect(request.header("Idempotency-Key") == "row-17")
    #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
  }

  @Test func expiredTokenIsReplacedOnce() async throws {
    let server = try StubTaskServer(.net)
    let tokens = StubTokens("expired", "good")
    let client = try client(server, tokens: tokens)
    try await client.add(TaskDraft(text: "Buy milk"), idempotencyKey: "row-17")
    #expect(tokens.rejections == 1)
    #expect(server.requests.map { $0.header("Authorization") } == ["Bearer expired", "Bearer good"])
    #expect(server.requests.map { $0.header("Idempotency-Key") } == ["row-17", "row-17"])
    #expect(try await client.list().count == 1)
  }

  @Test func secondRefusalIsFinal() async throws {
    let server = try StubTaskServer(.net)
    let tokens = StubTokens("expired", "expired too", "good")
    let client = try client(server, tokens: tokens)
    let error = await #expect(throws: TaskAPIError.self) { try await client.list() }
    #expect(error?.kind == .unauthorized)
    #expect(server.requests.count == 2)
  }

  @Test func noOtherTokenMeansNoSecondRequest() async throws {
    let server = try StubTaskServer(.net)
    let client = try client(server, tokens: StubTokens("expired"))
    let error = await #expect(throws: TaskAPIError.self) { try await client.list() }
    #expect(error?.kind == .unauthorized)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [200, 201]) func successWithoutBody(status: Int) async throws {
    let server = try StubTaskServer(.net, scripted: [ServerResponse(status: status)])
    #expect(try await client(server).add(TaskDraft(text: "Buy milk")).task() == APITask(text: "Buy milk"))
  }

  @Test func repeatedRequestIsKnown() async throws {
    let replayed = ServerResponse(
      status: 201, headers: [("Idempotent-Replayed", "true")], text: #"{"Id": 7, "Text": "Buy milk"}"#,
      type: "application/json")
    let server = try StubTaskServer(.net, scripted: [replayed])
    let added = try await client(server).add(TaskDraft(text: "Buy milk"), idempotencyKey: "row-17")
    #expect(added.honorsIdempotencyKey)
    #expect(try added.task().id == 7)
  }

  @Test(
    arguments: [
      (["Idempotency-Key": "row-17"], #"{"_id": "57a1", "Text": "x"}"#, "57a1", true),
      (["idempotent-replayed": "false"], #"{"id": "a-b"}"#, "a-b", true), ([:], #"{"Id": 0, "Text": "x"}"#, "0", false),
      ([:], #"{"Text": "x"}"#, nil, false), ([:], "", nil, false),
    ] as [([String: String], String, String?, Bool)])
  func answerTellsIDAndWhetherTheKeyIsHonored(headers: [String: String], body: String, id: String?, honors: Bool)
    async throws
  {
    let answer = ServerResponse(
      status: 201, headers: headers.map { ($0, $1) }, text: body, type: "application/json")
    let server = try StubTaskServer(.net, scripted: [answer])
    let added = try await client(server).add(TaskDraft(text: "x"), idempotencyKey: "row-17")
    #expect(try added.task().id.map { $0.string ?? $0.encoded() } == id)
    #expect(added.honorsIdempotencyKey == honors)
  }

  @Test func taskWithoutIDCannotBeRemoved() async throws {
    let server = try StubTaskServer(.net)
    let error = await #expect(throws: TaskAPIError.self) { try await client(server).remove(APITask(text: "Buy milk")) }
    #expect(error?.message == "the task \"Buy milk\" has no ID")
  }
}
