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
          place: "host → browser authorize page", name: "query code_challenge_method", first: "S256", second: "plain")
      ])
    #expect(comparison.changingSentence == "Different each time, as it should be: nonce.")
    let text = comparison.text(width: nil) { text, _ in text }
    #expect(text.contains("host → browser authorize page  query code_challenge_method  S256  plain"), "\(text)")
  }

  @Test("the same twice") func same() throws {
    let text = try comparison(SampleTrace(), SampleTrace()).text(width: nil) { text, _ in text }
    #expect(text.hasSuffix("\n\nNothing differs but the times and what is another each time.\n"), "\(text)")
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
