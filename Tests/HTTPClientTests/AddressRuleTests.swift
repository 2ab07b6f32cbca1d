import HTTPClient
import HostLoop
import Testing

/// The addresses to which a server may lead the program.
@HostActor @Suite struct AddressRuleTests {
  @Test(arguments: [
    (AddressRule.anywhere, "169.254.169.254", true), (.named, "10.0.0.1", true), (.publicOnly, "203.0.113.5", true),
    (.publicOnly, "10.0.0.1", false), (.publicOnly, "127.0.0.2", false), (.publicOnly, "::ffff:192.168.1.1", false),
    (.near("203.0.113.5"), "10.0.0.1", false), (.near("203.0.113.5"), "203.0.113.9", true),
    (.near("127.0.0.1"), "127.0.0.2", true), (.near("127.0.0.1"), "::1", true), (.near("127.0.0.1"), "10.0.0.1", false),
    (.near("10.0.0.1"), "192.168.7.7", true), (.near("10.0.0.1"), "127.0.0.1", false),
    (.near("10.0.0.1"), "169.254.169.254", false), (.near("fe80::1"), "fe80::1", true),
    (.near("fe80::1"), "fe80::2", false), (.near("fd00::1"), "10.0.0.1", true),
  ])
  func rule(_ rule: AddressRule, _ address: String, _ isAdmitted: Bool) {
    #expect(rule.admits(address) == isAdmitted)
  }

  @Test(arguments: ["localhost", "x.localhost", "127.0.0.1", "[::1]", "2130706433", "0x7f.1"])
  func noRequestOfAForeignPartyReachesThisMachine(_ host: String) async throws {
    let server = try ScriptedServer { _ in .ok("inside") }
    var request = HTTPRequest(url: "http://\(host):\(server.port)/")
    request.addresses = .near("203.0.113.5")
    let error = await #expect(throws: HTTPError.self) { try await HTTPClient().send(request) }
    #expect(error?.kind == .privateAddress)
    #expect(server.requests.isEmpty)
    request.addresses = .near("127.0.0.9")
    if host != "[::1]" { #expect(try await HTTPClient().send(request).text == "inside") }
  }
}
