import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Testing

/// The task API of the Node server.
@HostActor @Suite struct NodeTaskTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
    try tenant.setTasksDialect(.node)
  }

  private func token() async throws -> String { try await browser.tokens()["access_token"]?.string ?? "" }

  @Test func theTwentyOldestAreListed() async throws {
    let token = try await token()
    for number in 1...21 {
      let answer = try await browser.call(
        "POST", token: token, body: "Text=Task+\(number)", [("Idempotency-Key", "the same")])
      #expect(answer.status == 201)
      #expect(answer.headers["Idempotency-Key"] == nil)
    }
    let response = try await browser.call("GET", token: token)
    #expect(response.headers["ETag"] == nil)
    let list = try JSON(parsing: response.body).array ?? []
    #expect(list.map { $0["Text"]?.string } == (1...20).map { "Task \($0)" })
    #expect(Set(list[0].object?.keys.map(\.self) ?? []) == ["_id", "owner", "Text", "completed", "date", "__v"])
    #expect(list[0]["_id"]?.string?.count == 24)
    #expect(try tenant.tasks(of: "alice").count == 21)
  }

  @Test func theKeyOfAnImportIsKept() async throws {
    let token = try await token()
    let body = #"{"Text":"a","Key":"4711","Notes":"n"}"#
    let task = try JSON(
      parsing: try await browser.call("POST", token: token, body: body, type: "application/json").body)
    #expect(task["Key"] == "4711")
    #expect(task["Notes"] == nil)
    #expect(try JSON(parsing: try await browser.call("GET", token: token).body).array == [task])
  }

  @Test func aTaskIsRemovedByOwnerAndID() async throws {
    let token = try await token()
    let task = try JSON(parsing: try await browser.call("POST", token: token, body: "Text=a").body)
    let (owner, id) = (task["owner"]?.string ?? "", task["_id"]?.string ?? "")
    for path in ["/\(owner)/1", "/somebody/\(id)", "/\(owner)/000000000000000000000000"] {
      let answer = try await browser.call("DELETE", "/api/tasks" + path, token: token)
      #expect(answer.status == 404)
      #expect(try JSON(parsing: answer.body)["code"] == "TaskNotFound")
    }
    #expect(try await browser.call("DELETE", "/api/tasks/\(id)", token: token).status == 404)
    #expect(try await browser.call("DELETE", "/api/tasks/\(owner)/\(id)", token: token).status == 204)
    #expect(try tenant.tasks(of: "alice").isEmpty)
    #expect(try await browser.call("PUT", token: token, body: "Text=a").headers["Allow"] == "GET, POST")
  }

  @Test func allThreeKindsOfBodyAreTaken() async throws {
    let token = try await token()
    let part = "--x y\r\nContent-Disposition: form-data; name="
    let form = "\(part)\"Completed\"\r\n\r\ntrue\r\n\(part)\"Text\"\r\n\r\na\r\n--b; \"ü\"\r\n\r\nc\r\n--x y--\r\n"
    for (body, type) in [
      ("Text=1", "application/x-www-form-urlencoded"), (#"{"Text":"2"}"#, "application/json"),
      (form, "multipart/form-data; boundary=\"x y\""),
    ] {
      #expect(try await browser.call("POST", token: token, body: body, type: type).status == 201)
    }
    #expect(try tenant.tasks(of: "alice").map(\.text) == ["1", "2", "a\r\n--b; \"ü\"\r\n\r\nc"])
    #expect(try tenant.tasks(of: "alice").map(\.isCompleted) == [false, false, true])
  }

  @Test(arguments: [
    ("Txt=a", "application/x-www-form-urlencoded", 409, "MissingTask"), ("{}", "application/json", 409, "MissingTask"),
    ("a", "multipart/form-data", 409, "MissingTask"), ("{", "application/json", 400, "InvalidContent"),
    ("a", "text/plain", 415, "UnsupportedMediaType"),
  ])
  func aBadTaskIsRefusedInItsWords(body: String, type: String, status: Int, code: String) async throws {
    let answer = try await browser.call("POST", token: try await token(), body: body, type: type)
    #expect(answer.status == status)
    #expect(try JSON(parsing: answer.body)["code"]?.string == code)
    let stranger = try await browser.call("POST", token: nil, body: body, type: type)
    #expect(stranger.status == 401)
    #expect(stranger.headers["WWW-Authenticate"] == "Bearer realm=\"Users\"")
  }
}
