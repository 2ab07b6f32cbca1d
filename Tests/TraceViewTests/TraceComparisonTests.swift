import Core
import Testing

@testable import TraceView

@Suite("What differs between two traces")
struct TraceComparisonTests {
  private func comparison(_ one: SampleTrace, _ other: SampleTrace) throws -> TraceComparison {
    TraceComparison(try one.read(), try other.read())
  }

  @Test("PKCE with S256, and plain") func pkce() throws {
    let comparison = try comparison(SampleTrace(), SampleTrace(method: "plain", nonce: "n-2"))
    #expect(
      comparison.differences == [
        Difference(
          place: "host → browser authorize page", name: "query code_challenge_method", first: "S256", second: "plain"),
        Difference(
          place: "host → browser authorize page", name: "query code_challenge", first: "SHA-256 of the verifier",
          second: "the verifier itself"),
      ])
    #expect(comparison.changingSentence == "Different each time, as it should be: nonce.")
    let text = comparison.text(width: nil) { text, _ in text }
    #expect(text.contains("query code_challenge         SHA-256 of the verifier  the verifier itself\n"), "\(text)")
  }

  @Test("a pushed request has the parameters that a URL has") func pushed() throws {
    let pushed = SampleTrace(nonce: "n-2", isPushed: true)
    #expect(try comparison(SampleTrace(), pushed).differences.map(\.name) == ["", "query request_uri"])
    let plain = try comparison(SampleTrace(method: "plain"), pushed)
    #expect(
      Set(plain.differences.map(\.name)) == [
        "", "query request_uri", "query code_challenge_method", "query code_challenge",
      ])
    // A parameter of two pushed requests differs once.
    let both = try comparison(SampleTrace(method: "plain", isPushed: true), pushed)
    #expect(both.differences.filter { $0.name.hasSuffix(" code_challenge_method") }.count == 1)
  }

  @Test("an address in a parameter is compared without the values that are new each time") func nested() {
    func facts(_ address: String) -> String? {
      Facts.query("https://op.example/login?callback_url=" + URLEncodedForm.percentEncode(address)).first?.value
    }
    let one = facts("https://op.example/auth?state=a&nonce=1&prompt=login")
    #expect(one == facts("https://op.example/auth?state=b&nonce=2&prompt=login"))
    #expect(one != facts("https://op.example/auth?state=a&nonce=1&prompt=none"))
  }

  @Test("texts that differ are told apart in any room") func distinct() {
    let texts = [
      "http://localhost:8401/callback", "http://localhost:8402/callback", "http://localhost:8402/other", "a",
    ]
    for width in 8...40 {
      let shown = DistinctTexts.clipped(texts, to: width)
      #expect(Set(shown).count == 4, "\(shown)")
      #expect(shown.allSatisfy { $0.displayWidth <= width }, "\(shown)")
    }
    #expect(DistinctTexts.clipped(texts, to: 20)[0] == "http:/…1/callback")
    #expect(DistinctTexts.clipped(["same", "same"], to: 3) == ["sa…", "sa…"])
  }

  @Test("on a narrow terminal, places and values stand below each other instead of being cut off") func narrow() throws
  {
    let comparison = try comparison(SampleTrace(), SampleTrace(method: "plain", nonce: "n-2"))
    let text = comparison.text(width: 60) { text, _ in text }
    #expect(
      text.contains(
        """
        host → browser authorize page
          query code_challenge_method  A  S256
                                       B  plain
          query code_challenge         A  SHA-256 of the verifier
                                       B  the verifier itself

        """), "\(text)")
    #expect(comparison.text(width: 120) { text, _ in text } == comparison.text(width: nil) { text, _ in text })
  }

  @Test("a column is not squeezed while another is wide") func columns() {
    var grid = TextGrid(header: ["where", "what", "A"], flexible: 0)
    let long = String(repeating: "a", count: 60)
    grid.rows = [TextGrid.Row(cells: [long, long, "short"])]
    let line = grid.text(width: 61) { text, _ in text }.split(separator: "\n")[1]
    #expect(line.split(separator: " ").map(\.count) == [24, 28, 5], "\(line)")
    #expect(grid.fits(129) && !grid.fits(128) && grid.fits(nil))
  }

  @Test("the same twice") func same() throws {
    let text = try comparison(SampleTrace(), SampleTrace()).text(width: nil) { text, _ in text }
    #expect(text.hasSuffix("\n\nNo differences, apart from times and values that are new in each run.\n"), "\(text)")
  }

  @Test("another challenge each time is none; a secret of another kind is a difference") func kinds() throws {
    let comparison = try comparison(SampleTrace(), SampleTrace(nonce: "n-2"))
    #expect(comparison.differences.isEmpty)
    #expect(comparison.changingSentence == "Different each time, as it should be: code_challenge, nonce.")
    #expect(Facts.kind("header authorization", "Bearer [access token #2]") == "Bearer [access token]")
    #expect(Facts.kind("form client_assertion", "[assertion #1]") == "[assertion]")
    #expect(Facts.kind("query state", "af0ifjsldkj") == nil)
  }

  @Test("times that differ much are told, and what they are worth") func times() throws {
    func slower(_ took: Int) throws -> String {
      let text = SampleTrace().text.replacing(#""took":12000"#, with: #""took":\#(took)"#)
      let other = try SampleTrace.withFile(text) { try RecordedTrace(path: $0) }
      return TraceComparison(try SampleTrace().read(), other).text(width: nil) { text, _ in text }
    }
    #expect(try slower(18_000).hasSuffix("\n\nNo differences, apart from times and values that are new in each run.\n"))
    #expect(
      try slower(26_000).hasSuffix(
        """
        time                                   A      B  difference
        browser → authority GET authorize  12 ms  26 ms      +14 ms
        One run each: such differences of time may be chance.

        """))
  }

  @Test("what is in one of them only") func missing() throws {
    let comparison = try comparison(SampleTrace(), SampleTrace(fails: true))
    #expect(comparison.differences.contains { $0.place == "[id token #1]" && $0.first == "there" && $0.second == nil })
    #expect(comparison.differences.contains { $0.second == "AADB2C90225" && $0.first == nil })
  }

  @Test("local tenants know the same user by other IDs; one tenant has two users")
  func userIDs() throws {
    func trace(_ user: String, port: Int) throws -> RecordedTrace {
      let text = SampleTrace().text.replacing(
        #""name":"Alice Liddell""#, with: #""name":"Alice Liddell","sub":"\#(user)""#)
      let parties = #"{"type":"parties","id":1,"at":0,"authority":["http://127.0.0.1:\#(port)"],"tasks":[]}"# + "\n"
      return try SampleTrace.withFile(text.replacing(#"{"type":"end""#, with: parties + #"{"type":"end""#)) {
        try RecordedTrace(path: $0)
      }
    }
    let apart = TraceComparison(try trace("a", port: 8001), try trace("b", port: 8002))
    #expect(apart.differences.isEmpty)
    #expect(apart.changingSentence == "Different each time, as it should be: sub, the port of the authority.")
    let together = TraceComparison(try trace("a", port: 8001), try trace("b", port: 8001))
    #expect(
      together.differences == [Difference(place: "[id token #1]", name: "claim sub", first: "a", second: "b")])
  }

  @Test("three requests and four") func count() throws {
    #expect(
      try comparison(SampleTrace(posts: 3), SampleTrace(posts: 4)).differences == [
        Difference(place: "host → tasks POST /api/tasks", name: "count", first: "3", second: "4")
      ])
  }

  @Test("lists are laid beside each other") func alignment() {
    let pairs = Alignment.pairs(["a", "b", "c", "d"], ["a", "c", "x", "d"])
    #expect(pairs.map(\.first) == [0, 1, 2, nil, 3])
    #expect(pairs.map(\.second) == [0, nil, 1, 2, 3])
  }
}
