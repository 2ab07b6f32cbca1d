import HTTPClient
import HTTPServer
import HostLoop
import JSON
import LocalTenant
import Testing

/// Failures that the tenant causes on purpose.
@HostActor @Suite struct FaultTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
  }

  private func post(_ text: String, _ token: String) async throws -> Int {
    try await browser.call("POST", token: token, body: "Text=\(text)").status
  }

  @Test func faultsHappenAsOftenAsAsked() async throws {
    let token = try await browser.tokens()["access_token"]?.string ?? ""
    try tenant.addFault(TenantFault(method: "post", path: "/api/*", status: 503, times: 2))
    #expect(try await browser.get("\(tenant.url)/api/tasks").status == 401)
    #expect(try await post("a", token) == 503)
    #expect(try await post("b", token) == 503)
    #expect(try await post("c", token) == 201)
    // The tenant acts on a request whose response is dropped.
    for drop in [ServerResponse.Drop.beforeResponse, .midResponse] {
      try tenant.addFault(TenantFault(path: "/api/tasks", drop: drop))
      await #expect(throws: HTTPError.self) { try await post("d", token) }
    }
    #expect(try tenant.tasks(of: "alice").map(\.text) == ["c", "d", "d"])
    try tenant.addFault(TenantFault(status: 500, body: "{}", headers: [("Retry-After", "7")], delay: 0.01))
    let response = try await browser.get(tenant.url)
    #expect(response.status == 500)
    #expect(response.text == "{}")
    #expect(response.headers["Retry-After"] == "7")
    let seen = try tenant.requests().suffix(3)
    #expect(seen.map(\.status) == [201, 201, 500])
    #expect(seen.first?.method == "POST")
    #expect(seen.first?.path == "/api/tasks")
  }

  @Test func aLostRequestIsNotActedOn() async throws {
    let token = try await browser.tokens()["access_token"]?.string ?? ""
    for isReset in [false, true] {
      try tenant.addFault(TenantFault(path: "/api/tasks", isReset: isReset, losesRequest: true))
      await #expect(throws: HTTPError.self) { try await post("a", token) }
    }
    #expect(try tenant.tasks(of: "alice").isEmpty)
    for drop in [ServerResponse.Drop.beforeResponse, .midResponse] {
      try tenant.addFault(TenantFault(path: "/api/tasks", drop: drop, isReset: true))
      await #expect(throws: HTTPError.self) { try await post("b", token) }
    }
    #expect(try tenant.tasks(of: "alice").map(\.text) == ["b", "b"])
  }

  @Test func aShareOfTheRequestsGoesWrong() async throws {
    func statuses(_ count: Int) async throws -> [Int] {
      var statuses: [Int] = []
      for _ in 0..<count { statuses.append(try await browser.get("\(tenant.url)/a").status) }
      return statuses
    }
    try tenant.addFault(TenantFault(path: "/a", status: 503, times: 2, share: .every(3)))
    #expect(try await statuses(9) == [404, 404, 503, 404, 404, 503, 404, 404, 404])
    #expect(try tenant.totals() == (9, 2, 0))
    // The same seed makes the same choice. A request that one fault skips may match the next fault.
    var chosen: [[Int]] = []
    for seed in [1, 1, 2] as [UInt64] {
      try tenant.addFault(TenantFault(path: "/a", status: 500, times: nil, share: .probability(0.5, seed: seed)))
      try tenant.addFault(TenantFault(path: "/a", status: 501, times: nil))
      chosen.append(try await statuses(40))
      try tenant.clearFaults()
    }
    #expect(chosen[0] == chosen[1])
    #expect(chosen[0] != chosen[2])
    #expect(Set(chosen[0]) == [500, 501])
    for (share, message) in [
      (.every(0), "a fault happens to every first request or later, not 0"),
      (.probability(1.5, seed: 0), "a fault's probability must be from 0 to 1, not 1.5"),
    ] as [(TenantFault.Share, String)] {
      let error = #expect(throws: TenantError.self) { try tenant.addFault(TenantFault(share: share)) }
      #expect(error?.message == message)
    }
  }
}
