import HTTPClient
import HTTPServer
import HostLoop
import JSON
import Testing

@testable import TaskAPI

/// The status and the body of a response tell the result of the request.
@HostActor @Suite struct AnswerMeaningTests {
  @Test(arguments: [
    ("", true), (" \n", true), (#"{"Id": 0}"#, false), (#"{"_id": "57a"}"#, true), (#"{"Text": "Buy milk"}"#, true),
    (#" {"Owner": "a", "Text": "Buy\u0020milk", "error": null} "#, true), (#"{"id": 3, "errors": []}"#, true),
    (#"{"Id": 0, "Text": "Buy milk"}"#, true), (#"{"Id": 0, "Text": ""}"#, false), (#"{"Id": 5, "Text": ""}"#, false),
    (#"{"Id": 5, "Text": "Buy bread"}"#, false), (#"{"id": 5, "text": "buy  MILK 🥛"}"#, true),
    (#"{"status": "error", "id": 5}"#, false), (#"{"Status":"Failed","Id":5,"Text":"Buy milk"}"#, false),
    (#"{"status": "open", "id": 5}"#, true), (#"{"status": 500, "id": 5}"#, false),
    (#"{"success": false, "id": 5}"#, false),
    (#"{"ok":false,"Id":5,"Text":"Buy milk"}"#, false), (#"{"ok":true,"Id":5,"Text":"Buy milk"}"#, true),
    (#"{"Error":"x","Id":5,"Text":"Buy milk"}"#, false), (#"{"Id":5,"Text":null}"#, true),
    (#"{"id": {"$oid": "57a"}}"#, true), ("{}", false), (#"{"Id": null, "Text": ""}"#, false), (#"{"id": ""}"#, false),
    (#"{"error": "quota"}"#, false), (#"{"Id": 7, "error": "quota"}"#, false), (#"{"errors": ["a"], "id": 7}"#, false),
    (#"{"ok": true, "message": "added"}"#, false), (#"{"Id": 7"#, false), ("[]", false), (#""added""#, false),
    ("17", false), ("<html>", false), (#"{"Id": 7} x"#, false),
  ])
  func confirmation(body: String, isOne: Bool) async throws {
    #expect(NewTaskAnswer(Array(body.utf8), to: TaskDraft(text: "Buy milk")).isConfirmation == isOne)
    for status in [200, 201] {
      let server = try StubTaskServer(scripted: [ServerResponse(status: status, text: body, type: "application/json")])
      let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("good"), baseURL: server.url)
      do {
        try await client.add(TaskDraft(text: "Buy milk"))
        #expect(isOne)
      } catch let error as TaskAPIError {
        #expect(!isOne)
        #expect(error.details["fate"] == "unknown")
        #expect(error.meaning == .unclear)
      }
    }
  }

  @Test(arguments: [
    ("Tom & Jerry", "Tom &amp; Jerry", true), (" a\r\nb ", "a\nb", true), ("row 12", "row 1", false),
    ("Über", "U\u{308}ber", true), ("🥛", "🍞", false), ("!", "?", false),
    (String(repeating: "long text ", count: 20), String(repeating: "long text ", count: 10), true),
  ])
  func textsAsServersChangeThem(sent: String, answered: String, isSame: Bool) {
    #expect(TextLikeness.isSame(sent, answered) == isSame)
  }

  /// Both ways to read an answer know an ID as the same one.
  @Test func anIDIsTheSameHoweverItIsWritten() throws {
    let draft = TaskDraft(text: "Buy milk")
    func id(_ body: String) -> String? { NewTaskAnswer(Array(body.utf8), to: draft).id }
    let one = try #require(id(#"{"Id":57,"Text":"Buy milk"}"#))
    #expect(id(#"{"Id":57,"Text":"Buy\u0020milk"}"#) == one)
    #expect(id(#"{"Id":58,"Text":"Buy milk"}"#) != one)
    #expect(id(#"{"Id":0,"Text":"Buy milk"}"#) == nil)
  }

  /// A failure of one task is about that task, whatever its status, but for a wrong token.
  @Test(
    arguments: [
      (403, false, AnswerMeaning.refused, AnswerMeaning.doubtful), (404, false, .refused, .doubtful),
      (401, false, .unauthorized, .unauthorized), (400, false, .refused, .refused), (507, false, .refused, .doubtful),
      (302, false, .refused, .doubtful), (429, false, .notNow, .notNow), (403, true, .notNow, .notNow),
      (424, true, .notNow, .notNow), (500, true, .brokenOff, .brokenOff), (503, true, .notNow, .notNow),
      (423, false, .notNow, .notNow), (nil, false, .refused, .refused),
    ] as [(Int?, Bool, AnswerMeaning, AnswerMeaning)])
  func failuresOfServices(status: Int?, asksToWait: Bool, ofOne: AnswerMeaning, ofAll: AnswerMeaning) {
    #expect(AnswerMeaning(ofService: status, asksToWait: asksToWait, true) == ofOne)
    #expect(AnswerMeaning(ofService: status, asksToWait: asksToWait, false) == ofAll)
  }

  /// An answer about another task is no success.
  @Test func anAnswerAboutAnotherTask() async throws {
    let other = ServerResponse(status: 200, text: #"{"Id": 8, "Text": "Buy milk"}"#, type: "application/json")
    let server = try StubTaskServer(scripted: [other, other])
    let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("good"), baseURL: server.url)
    let changed = await #expect(throws: TaskAPIError.self) {
      try await client.update(id: "7", ["completed": true], entityTag: nil)
    }
    #expect(changed?.message.contains("it is the task 8") == true && changed?.meaning == .unclear)
    await #expect(throws: TaskAPIError.self) { try await client.task(id: "7") }
  }

  @Test(arguments: [
    (202, AnswerMeaning.accepted), (203, .unclear), (204, .confirmed), (205, .unclear), (206, .unclear),
    (302, .unclear),
    (303, .unclear), (304, .unclear), (307, .doubtful), (308, .doubtful), (400, .refused), (401, .unauthorized),
    (403, .doubtful), (404, .doubtful), (405, .doubtful), (408, .notNow), (409, .refused), (413, .refused),
    (421, .notNow), (422, .refused), (425, .notNow), (429, .notNow), (500, .brokenOff), (502, .brokenOff),
    (503, .notNow), (504, .brokenOff), (599, .brokenOff), (999, .unclear),
  ])
  func statuses(status: Int, meaning: AnswerMeaning) {
    #expect(AnswerMeaning(status: status, isConfirmation: true) == meaning)
  }

  /// A removal that the server does not confirm is no success, either.
  @Test(arguments: [
    (ServerResponse(status: 200), true), (ServerResponse(status: 204), true), (ServerResponse(status: 202), false),
    (ServerResponse(status: 200, text: "{}", type: "application/json"), true),
    (ServerResponse(status: 200, text: #"{"error": "locked"}"#, type: "application/json"), false),
    (ServerResponse(status: 200, text: "<html>Sign in</html>", type: "text/html"), false),
  ])
  func removal(answer: ServerResponse, isDone: Bool) async throws {
    let server = try StubTaskServer(scripted: [answer])
    let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("good"), baseURL: server.url)
    do {
      try await client.remove(id: "7")
      #expect(isDone)
    } catch let error as TaskAPIError {
      #expect(!isDone)
      #expect(error.message.contains(answer.status == 202 ? "may still be removed" : "whether the task was removed"))
    }
  }

  /// A request that reached the wrong connection goes out once more, over another one.
  @Test func misdirectedRequestIsSentAgain() async throws {
    let server = try StubTaskServer(scripted: [ServerResponse(status: 421)])
    let client = try TaskAPIClient(http: HTTPClient(), tokens: StubTokens("good"), baseURL: server.url)
    #expect(try await client.list() == [])
    #expect(server.requests.count == 2)
  }

  @Test(arguments: [
    ("RateLimit-Remaining", "0", true), ("X-RateLimit-Remaining", "0", true),
    ("RateLimit", "\"default\";r=0;t=5", true),
    ("RateLimit", "limit=10, remaining=0, reset=5", true), ("RateLimit-Remaining", "3", false),
    ("RateLimit", "\"default\";r=5", false), ("X-Other", "0", false),
  ])
  func quota(name: String, value: String, isSpent: Bool) {
    #expect(HTTPResponse(status: 429, headers: [name: value]).isQuotaSpent == isSpent)
  }
}
