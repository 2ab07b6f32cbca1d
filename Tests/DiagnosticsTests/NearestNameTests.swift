import Diagnostics
import Testing

@Suite("Did you mean …?")
struct NearestNameTests {
  @Test(arguments: [
    ("polcy", "policy"), ("POLICY", "policy"), ("scpoes", "scopes"), ("scope", "scopes"), ("x", nil),
    ("frobnicate", nil),
    ("promt", "prompt"), ("", nil),
  ])
  func nearest(name: String, expected: String?) {
    #expect(nearestName(to: name, in: ["policy", "scopes", "prompt", "login_hint"]) == expected)
  }

  @Test("of two as near, the first by name")
  func tie() {
    #expect(nearestName(to: "ab", in: ["ac", "aa"]) == "aa")
    #expect(nearestName(to: "ab", in: []) == nil)
  }
}
