import Core
import JSON
import Pages
import Testing

@testable import TraceView

@Suite("The page of a trace")
struct TracePageTests {
  @Test("it is one file that may fetch nothing") func policy() throws {
    let page = try SampleTrace().page()
    let policy = try #require(page.firstMatch(of: #/Content-Security-Policy" content="([^"]+)"/#)).1
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(!policy.contains("unsafe"))
    #expect(page.firstMatch(of: #/(src|href)="(?!#|data:,)/#) == nil)
    #expect(page.firstMatch(of: #/<[^>]* style="/#) == nil)
  }

  @Test("a run in which nothing happened") func empty() throws {
    let lines = SampleTrace().text.split(separator: "\n")
    let trace = try SampleTrace.withFile("\(lines[0])\n{\"type\":\"end\",\"id\":1,\"at\":0}\n") {
      try RecordedTrace(path: $0)
    }
    #expect(Story(trace).steps.isEmpty)
    #expect(Scale(upTo: 0).marks.first == 0)
    #expect(Scale(upTo: 42).marks == [0, 10, 20, 30, 40])
  }

  @Test("nothing that was recorded ends its data") func embedded() throws {
    let page = try SampleTrace().page()
    #expect(page.contains(#""text":"\u003c/script>\u003c!-- \u003cb>&""#))
    #expect(page.matches(of: #/<\/script>/#).count == 2)
  }

  @Test("times are told in words") func times() throws {
    let page = try SampleTrace().page()
    #expect(page.contains("expires in 60 min, at 15:03:10") == true)
    #expect(page.contains("is valid: 2 checks"))
  }

  @Test("a thousand requests are few elements, and an error is explained in its place") func size() throws {
    let page = try SampleTrace(fails: true, rows: 20_000).page()
    #expect(page.matches(of: #/<[a-z]/#).count < 1000)
    #expect(page.contains("<b>AADB2C90225</b> – the user name or the password is wrong"))
    #expect(page.contains("aria-expanded=\"false\""))
  }

  @Test(
    "claims that are times",
    arguments: [
      ("exp", 1000 + 3599, "expires in 59 min, at 01:16:39"), ("exp", 1000 - 90, "expired 90 s ago, at 00:15:10"),
      ("auth_time", 1000 - 7200, "signed in 2 h ago, on 31 Dec 1969 at 22:16:40"),
      ("iat", 1000, "issued now, at 00:16:40"),
    ] as [(String, Int64, String)]
  ) func claims(name: String, seconds: Int64, words: String) {
    #expect(Claim(name: name, value: .integer(seconds)).time(seenAt: UnixTime(1000)) == words)
  }
}
