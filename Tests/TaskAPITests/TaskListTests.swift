import Core
import HTTPClient
import HTTPServer
import HostLoop
import JSON
import TaskAPI
import Testing

/// Lists that are read while they come in.
@HostActor @Suite struct TaskListTests {
  private func client(_ server: StubTaskServer, tokens: StubTokens = StubTokens("good")) throws -> TaskAPIClient {
    try TaskAPIClient(http: HTTPClient(), tokens: tokens, baseURL: server.url)
  }

  private func answer(_ body: String) -> ServerResponse { ServerResponse(text: body, type: "application/json") }

  /// A list that is larger than one piece of the response.
  private func longList(_ count: Int) -> String {
    let elements = (1...count).map { #"{"Id": \#($0), "Text": "Task \"\#($0)\", []{}", "Completed": \#($0 % 2 == 0)}"# }
    return "[" + elements.joined(separator: ",\n") + "]"
  }

  @Test func eachGivesEveryTaskInItsOrder() async throws {
    let server = try StubTaskServer(scripted: [answer(longList(5000))])
    var ids: [JSON?] = []
    var completed = 0
    try await client(server).each { task in
      ids.append(task.id)
      if task.completed { completed += 1 }
    }
    #expect(ids == (1...5000).map { .integer($0) })
    #expect(completed == 2500)
  }

  @Test func textsAreGivenWithTheDialect() async throws {
    let list = #"[{"_id": "a", "Text": "x\ny"}, {"Id": 1, "Text": "\u00e9"}, {"id": 2, "text": 7}, {"Text": null}]"#
    let server = try StubTaskServer(scripted: [answer(list)])
    var texts: [String] = []
    var nodes: [Bool] = []
    let count = try await client(server).forEachText {
      texts.append($0)
      nodes.append($1)
    }
    #expect(count == 4)
    #expect(texts == ["x\ny", "é", "7", ""])
    #expect(nodes == [true, false, false, false])
  }

  @Test func aRefusedTokenIsReplacedAndNoTaskGivenTwice() async throws {
    let server = try StubTaskServer(.net)
    let tokens = StubTokens("good", "better")
    let client = try client(server, tokens: tokens)
    try await client.add(TaskDraft(text: "Buy milk"))
    server.accept(tokens: ["better"])
    var texts: [String] = []
    try await client.forEachText { text, _ in texts.append(text) }
    #expect(texts == ["Buy milk"])
    #expect(tokens.rejections == 1)
  }

  @Test(arguments: [
    (#"[{"Id": 1}, {"Id": 2"#, "line 1, column 21: the text is cut off inside element 2"),
    (#"[{"Id": 1}, {"Id": 2}"#, "line 1, column 22: the text is cut off before the array's ']'"),
    ("[{\"Id\": 1},\n 2]", "line 2, column 2: element 2 is not an object"),
    (#"[{"Id": 1}, {"Id" 2}]"#, "line 1, column 19: ':' expected near '2'"),
    (#"[{"Id": 1}] []"#, "line 1, column 13: expected nothing after the array's ']', found '['"),
  ])
  func aListThatStopsBeingOneIsNeverTakenForComplete(body: String, problem: String) async throws {
    let server = try StubTaskServer(scripted: [answer(body), answer(body)])
    let client = try client(server)
    let error = try await #require(throws: TaskAPIError.self) { try await client.list() }
    #expect(error.code == "unexpected_body")
    #expect(
      error.message
        == "GET \(server.url)/api/tasks was answered 200 with application/json, expected a list of tasks in "
        + "JSON: not valid JSON at \(problem)")
    let other = try await #require(throws: TaskAPIError.self) { try await client.forEachText { _, _ in } }
    #expect(other.message == error.message)
  }

  @Test func anAnswerThatBreaksOffIsAnError() async throws {
    var broken = answer(longList(2000))
    broken.drop = .midResponse
    let server = try StubTaskServer(scripted: [broken])
    var count = 0
    let error = try await #require(throws: HTTPError.self) { try await client(server).each { _ in count += 1 } }
    #expect(error.kind == .connectionLost)
    #expect(count > 0 && count < 2000)
  }

  @Test func aLongBodyThatIsNoListIsNotReadToItsEnd() async throws {
    let server = try StubTaskServer(scripted: [answer("<html>" + String(repeating: " ", count: 8 << 20))])
    let error = try await #require(throws: TaskAPIError.self) { try await client(server).list() }
    #expect(
      error.message
        == "GET \(server.url)/api/tasks was answered 200, expected a list of tasks in JSON: it begins \"<html>\"")
  }

  @Test func whatTheBodyThrowsEndsTheListAndIsThrown() async throws {
    struct Enough: Error, Equatable {}
    let server = try StubTaskServer(scripted: [answer(longList(2000)), answer(longList(3))])
    let client = try client(server)
    await #expect(throws: Enough()) { try await client.each { _ in throw Enough() } }
    // Not mistaken for a list that is no JSON.
    await #expect(throws: JSONError.self) { try await client.each { _ in throw JSONError(reason: "mine") } }
  }

  /// A long list goes through a file.
  @Test(arguments: [0, 1, 3, 200_000]) func pagesHaveEveryTaskOnce(count: Int) async throws {
    let server = try StubTaskServer(scripted: [answer(count == 0 ? "[]" : longList(count))])
    let pages = try await client(server).pages()
    var ids: [JSON?] = []
    var largest = 0
    while let page = try pages.next() {
      ids += try page.tasks().map(\.id)
      largest = max(largest, page.body.count)
    }
    #expect(ids == (0..<count).map { .integer(Int64($0 + 1)) })
    #expect(largest < 70_000)
    #expect(try pages.next() == nil)
  }

  @Test func aListThatIsCutOffHasNoPages() async throws {
    let server = try StubTaskServer(scripted: [answer(#"[{"Id": 1}, {"Id": 2}"#)])
    let error = try await #require(throws: TaskAPIError.self) { try await client(server).pages() }
    #expect(error.code == "unexpected_body")
  }

  @Test func aPageWithWhatIsNoTaskIsAnError() async throws {
    let server = try StubTaskServer(scripted: [answer(#"[{"Id": 1}, 2]"#)])
    let pages = try await client(server).pages()
    let error = try #require(throws: TaskAPIError.self) { try pages.next()?.tasks() }
    #expect(error.message.hasSuffix("line 1, column 12: element 2 is not an object"))
  }
}
