import Core
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

@Suite("The question whether another name was meant")
struct DidYouMeanTests {
  @Test(arguments: [
    ("sign", "did you mean 'sign-in' or 'sign-out'?"), ("TOK", "did you mean 'token'?"),
    ("tokne", "did you mean 'token'?"),
    ("im", "did you mean 'import', 'imports' or 'impose'?"), ("s", nil), ("frobnicate", nil), ("", nil),
  ])
  func question(name: String, expected: String?) {
    #expect(
      didYouMean(name, among: ["sign-in", "import", "sign-out", "imports", "token", "impose", "import"]) == expected)
  }

  @Test("of many that begin alike none is asked for")
  func many() { #expect(didYouMean("name", among: (0..<5).map { "name-of-\($0)" }) == nil) }
}
