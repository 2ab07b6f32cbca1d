import Core
import Permissions
import Testing

@Suite("Permission flags")
struct GrantsTests {
  @Test(
    "a value that names nothing is refused, with what was expected",
    arguments: [
      (
        Permission.net, "https://example.com/x",
        "--allow-net: expected HOST or HOST:PORT, got the URL 'https://example.com/x'", "--allow-net=example.com"
      ),
      (
        .net, "user@example.com", "--allow-net: expected HOST or HOST:PORT, got 'user@example.com'",
        "for example --allow-net=hooks.example.com"
      ),
      (
        .net, "*.example.com", "--allow-net: expected HOST or HOST:PORT, got '*.example.com'",
        "for example --allow-net=hooks.example.com"
      ),
      (
        .net, "example.com:http", "--allow-net: expected a port from 1 to 65535 after the colon in 'example.com:http'",
        nil
      ),
      (.net, "example.com:0", "--allow-net: expected a port from 1 to 65535 after the colon in 'example.com:0'", nil),
      (.net, "::1:8080", "--allow-net: expected HOST or HOST:PORT, got '::1:8080'", "--allow-net=[::1:8080]"),
      (.net, "[::1", "--allow-net: expected a closing bracket in '[::1'", nil),
      (.net, ":80", "--allow-net: expected a host before the port in ':80'", nil),
      (.read, "", "--allow-read: expected PATH after the equals sign, got nothing", nil),
      (.env, "HOME,", "--allow-env: expected NAME after the equals sign, got nothing", nil),
    ] as [(Permission, String, String, String?)])
  func refused(permission: Permission, value: String, message: String, hint: String?) throws {
    var grants = Grants()
    let error = try #require(throws: GrantError.self) { try grants.allow(permission, value) }
    #expect(error.message == message)
    #expect(error.hint == hint)
  }
}
