import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

@HostActor @Suite struct TaskEndpointTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
  }

  private func token(_ user: String = "alice", _ password: String = "Wonderland-1", scope: String? = nil) async throws
    -> String
  {
    browser.cookies = CookieJar()
    let changes: [String: String?] = scope.map { ["scope": $0] } ?? [:]
    return try await browser.tokens(user, password, changes)["access_token"]?.string ?? ""
  }

  @Test func tasksAreAddedListedAndRemovedPerUser() async throws {
    let alice = try await token()
    let bob = try await token("bob", "Skyscraper-2")
    let form = try await browser.call("POST", token: alice, body: "Text=Buy+milk+%26+%E3%83%91%E3%83%B3")
    #expect(form.status == 201)
    let task = try JSON(parsing: form.body)
    #expect(task["Text"] == "Buy milk & パン")
    #expect(task["Completed"] == false)
    #expect(task["Owner"] == (try JWT(decoding: alice).claims["oid"]))
    #expect(task["DateModified"]?.string?.hasSuffix("Z") == true)
    let id = try #require(task["Id"]?.lenientInteger)
    #expect(form.headers["Location"] == "/api/tasks/\(id)")
    let json = try await browser.call(
      "POST", token: alice, body: #"{"Text": "Call Bob", "Completed": true}"#, type: "application/json")
    #expect(json.status == 201)
    let list = try JSON(parsing: try await browser.call("GET", token: alice).body).array ?? []
    #expect(list.map { $0["Text"] } == ["Buy milk & パン", "Call Bob"])
    #expect(list.map { $0["Completed"] } == [false, true])
    #expect(try await browser.call("GET", token: bob).text == "[]")
    #expect(try await browser.call("DELETE", "/api/tasks/\(id)", token: bob).status == 404)
    #expect(try await browser.call("DELETE", "/api/tasks/\(id)", token: alice).status == 204)
    #expect(try await browser.call("DELETE", "/api/tasks/\(id)", token: alice).status == 404)
    #expect(try await browser.call("DELETE", "/api/tasks/x", token: alice).status == 404)
    #expect(try tenant.tasks(of: "alice").map(\.text) == ["Call Bob"])
  }

  @Test func allFieldsAreKeptAndNoChangeIsLost() async throws {
    let token = try await token()
    let fields = #"{"Text":"Pay","Due":"2027-01-31","Labels":["home"],"Priority":1,"Notes":"by transfer","Key":"4711"}"#
    let added = try await browser.call("POST", token: token, body: fields, type: "application/json")
    let path = added.headers["Location"] ?? ""
    let tag = try #require(JSON(parsing: added.body)["ETag"]?.string)
    let changed = try await browser.call(
      "PATCH", path, token: token, body: #"{"Completed":true,"Notes":null}"#, type: "application/json",
      [("If-Match", tag)])
    #expect(changed.status == 200)
    let task = try JSON(parsing: changed.body)
    #expect(task["Due"] == "2027-01-31")
    #expect(task["Labels"] == ["home"])
    #expect(task["Key"] == "4711")
    #expect(task["Priority"] == 1)
    #expect(task["Notes"] == nil)
    #expect(task["Completed"] == true)
    #expect(task["CompletedAt"]?.string?.hasSuffix("Z") == true)
    // The tag of the first version.
    for method in ["PATCH", "DELETE"] {
      let late = try await browser.call(
        method, path, token: token, body: #"{"Text":"Lost"}"#, type: "application/json", [("If-Match", tag)])
      #expect(late.status == 412)
    }
    let bad = try await browser.call(
      "PATCH", path, token: token, body: #"{"Due":"tomorrow"}"#, type: "application/json")
    #expect(bad.status == 400)
    #expect(bad.text.contains("Due"))
    let long = #"{"Key":"\#(String(repeating: "x", count: 256))"}"#
    let refused = try await browser.call("PATCH", path, token: token, body: long, type: "application/json")
    #expect(
      try JSON(parsing: refused.body)["message"]?.string?.hasPrefix(
        "the field Key must be a text of at most 255 characters") == true)
    #expect(try tenant.tasks(of: "alice").map(\.text) == ["Pay"])
    // The same version has the same tag in a list and alone.
    let list = try JSON(parsing: try await browser.call("GET", token: token).body).array ?? []
    let current = try #require(task["ETag"]?.string)
    #expect(list.map { $0["ETag"]?.string } == [current])
    #expect(try await browser.call("GET", path, token: token).headers["ETag"] == current)
    let removal = try await browser.call("DELETE", path, token: token, [("If-Match", current)])
    #expect(removal.status == 204)
    for method in ["PATCH", "DELETE"] {
      let late = try await browser.call(
        method, path, token: token, body: #"{"Text":"Lost"}"#, type: "application/json", [("If-Match", current)])
      #expect(late.status == 404)
    }
  }

  @Test func aKeyMakesAnAdditionHappenOnce() async throws {
    let token = try await token()
    let key = [("Idempotency-Key", "k-1")]
    let first = try await browser.call("POST", token: token, body: "Text=Once", key)
    let second = try await browser.call("POST", token: token, body: "Text=Once", key)
    #expect(second.status == 201)
    #expect(second.body == first.body)
    #expect(first.headers["Idempotent-Replayed"] == nil)
    #expect(second.headers["Idempotent-Replayed"] == "true")
    #expect([first, second].map { $0.headers["Idempotency-Key"] } == ["k-1", "k-1"])
    #expect(try await browser.call("POST", token: token, body: "Text=Other", key).status == 422)
    let bob = try await self.token("bob", "Skyscraper-2")
    #expect(try await browser.call("POST", token: bob, body: "Text=Other", key).status == 201)
    #expect(try tenant.tasks(of: "alice").count == 1)
    _ = try await browser.call("DELETE", first.headers["Location"] ?? "", token: token)
    #expect(try await browser.call("POST", token: token, body: "Text=Once", key).status == 201)
    #expect(try tenant.tasks(of: "alice").isEmpty)
  }

  @Test func keysCanMeanNothing() async throws {
    let token = try await token()
    try tenant.setHonorsIdempotencyKeys(false)
    for _ in 1...2 {
      let answer = try await browser.call("POST", token: token, body: "Text=Twice", [("Idempotency-Key", "k-1")])
      #expect(answer.status == 201)
      #expect(answer.headers["Idempotency-Key"] == nil)
    }
    #expect(try tenant.tasks(of: "alice").map(\.text) == ["Twice", "Twice"])
  }

  @Test func aTextIsListedAsItWasSent() async throws {
    let token = try await token()
    let texts = ["\"Read \\ 牛乳\"", "a\u{0}b\r\n\t\u{1f}\u{7f}", "👩‍👩‍👧 </script>", "é"]
    for text in texts {
      let body = JSON.object(["Text": .string(text), "Completed": true]).encoded()
      #expect(try await browser.call("POST", token: token, body: body, type: "application/json").status == 201)
    }
    let list = try JSON(parsing: try await browser.call("GET", token: token).body).array ?? []
    #expect(list.map { $0["Text"]?.string } == texts.map(Optional.some))
    let alone = try await browser.call("GET", "/api/tasks/\(list[1]["Id"]?.lenientInteger ?? 0)", token: token)
    #expect(try JSON(parsing: alone.body) == list[1])
  }

  @Test func moreThanTheRateIsTooMany() async throws {
    let tenant = try LocalTenant.atRest()
    let browser = Browser(tenant)
    let token = try await browser.tokens()["access_token"]?.string ?? ""
    try tenant.setTaskRate(5)
    func statuses(_ count: Int) async throws -> [Int] {
      var statuses: [Int] = []
      for _ in 0..<count { statuses.append(try await browser.call("GET", token: token).status) }
      return statuses
    }
    #expect(try await statuses(11) == Array(repeating: 200, count: 10) + [429])
    try tenant.advance(seconds: 1)
    #expect(try await statuses(6) == Array(repeating: 200, count: 5) + [429])
    let refused = try JSON(parsing: try await browser.call("POST", token: token, body: "Text=a").body)
    #expect(refused == ["code": "TooManyRequests", "message": "You have exceeded your request rate of 5 r/s."])
    try tenant.setTaskRate(nil)
    #expect(try await statuses(1) == [200])
    #expect(throws: TenantError.self) { try tenant.setTaskRate(0) }
  }

  @Test func anUnchangedListIsNotSentAgain() async throws {
    let token = try await token()
    let tag = try #require(try await browser.call("GET", token: token).headers["ETag"])
    #expect(try await browser.call("GET", token: token, [("If-None-Match", tag)]).status == 304)
    #expect(try await browser.call("GET", token: token, [("If-None-Match", "\"x\", W/\(tag)")]).status == 304)
    _ = try await browser.call("POST", token: token, body: "Text=New")
    #expect(try await browser.call("GET", token: token, [("If-None-Match", tag)]).status == 200)
  }

  @Test(arguments: [
    ("Text=", "application/x-www-form-urlencoded", 400, "the field Text is missing or empty"),
    ("Txt=a", "application/x-www-form-urlencoded", 400, "the field Text is missing or empty"),
    ("{\"Text\": 1}", "application/json", 400, "the field Text is missing or empty"),
    ("[]", "application/json", 400, "the body must be a JSON object"),
    ("{", "application/json", 400, "the body is not JSON: "),
    ("a", "multipart/form-data; boundary=b", 415, "the body must be application/x-www-form-urlencoded or"),
    (
      "Text=" + String(repeating: "a", count: 4001), "application/x-www-form-urlencoded", 400,
      "the field Text has 4001 characters, more than 4000"
    ),
  ])
  func aBadTaskIsRefusedInWords(body: String, type: String, status: Int, message: String) async throws {
    let response = try await browser.call("POST", token: try await token(), body: body, type: type)
    #expect(response.status == status)
    #expect(try JSON(parsing: response.body)["message"]?.string?.hasPrefix(message) == true)
  }

  @Test func aTokenMustBeGood() async throws {
    let none = try await browser.call("GET", token: nil)
    #expect(none.status == 401)
    #expect(none.headers["WWW-Authenticate"] == "Bearer realm=\"contoso.onmicrosoft.com\"")
    let token = try await token()
    let parts = token.split(separator: ".")
    // The other tenant has its own key.
    let other = Browser(try LocalTenant(TenantConfiguration()))
    let idToken = try await browser.tokens()["id_token"]?.string ?? ""
    for bad in [
      "x", "\(parts[0]).\(parts[1]).AAAA", "\(parts[0]).\(idToken.split(separator: ".")[1]).\(parts[2])", idToken,
      try await other.tokens()["access_token"]?.string ?? "",
    ] {
      let response = try await browser.call("GET", token: bad)
      #expect(response.status == 401)
      #expect(response.headers["WWW-Authenticate"]?.contains("error=\"invalid_token\"") == true)
      #expect(try JSON(parsing: response.body)["code"] == "invalid_token")
    }
    #expect(try await browser.call("GET", token: token).status == 200)
    try tenant.advance(seconds: 3601)
    let expired = try await browser.call("GET", token: token)
    #expect(expired.status == 401)
    #expect(
      expired.headers["WWW-Authenticate"]?.hasSuffix("error_description=\"the access token has expired\"") == true)
    #expect(try await browser.call("GET", token: try await self.token()).status == 200)
  }

  @Test func scopesOfTheAPIAreChecked() async throws {
    let read = try await token(scope: "https://contoso.onmicrosoft.com/tasks/read")
    #expect(try await browser.call("GET", token: read).status == 200)
    let refused = try await browser.call("POST", token: read, body: "Text=a")
    #expect(refused.status == 403)
    #expect(refused.headers["WWW-Authenticate"]?.contains("error=\"insufficient_scope\"") == true)
    let write = try await token(
      scope: "https://contoso.onmicrosoft.com/tasks/read https://contoso.onmicrosoft.com/tasks/write")
    #expect(try await browser.call("POST", token: write, body: "Text=a").status == 201)
  }

  @Test func otherMethodsAreNamed() async throws {
    let response = try await browser.call("PUT", token: try await token(), body: "Text=a")
    #expect(response.status == 405)
    #expect(response.headers["Allow"] == "GET, POST")
  }
}
