import Testing

@testable import TraceView

@Suite("A trace as a table")
struct TraceTableTests {
  private func table(_ trace: SampleTrace, width: Int? = nil) throws -> String {
    TraceTable(try trace.read()).text(width: width) { text, _ in text }
  }

  @Test("a sign-in") func signIn() throws {
    #expect(
      try table(SampleTrace()) == """
        sign_in.lua  21 Nov 2026, 14:03:09 UTC  1 request  40 ms  exit status 0

            s  from → to            what                                status   took  line
        0.001  script → host        accounts.sign_in                                   sign_in.lua:3
        0.002  host → browser         authorize page                                   sign_in.lua:3
        0.003  browser → authority    GET authorize                        200  12 ms  sign_in.lua:3
        0.018  host                   [id token #1] is valid: 2 checks                 sign_in.lua:3
        0.021  host → script          signed in: Alice Liddell                         sign_in.lua:3

        """)
  }

  @Test("an error stands where it happened, explained") func failure() throws {
    let text = try table(SampleTrace(fails: true))
    #expect(
      text.contains(
        """
        0.021  host → script          sign-in failed                 sign_in.lua:3
            AADB2C90225 (the user name or the password is wrong): The username or password provided in the request are invalid.
            → check the user name and the password
        """), "\(text)")
  }

  @Test("a page has one name, whether the settings tell what it is or not", arguments: ["login", "other"])
  func pageNames(kind: String) throws {
    let page =
      #"{"type":"navigation","id":8,"at":5000,"agent":"webview","kind":"\#(kind)","decision":"show","url":"https://login.example.com/b2c_1_susi/signin?x=1"}"#
    let text = SampleTrace().text.replacing(#"{"type":"end""#, with: page + "\n" + #"{"type":"end""#)
    let trace = try SampleTrace.withFile(text) { try RecordedTrace(path: $0) }
    let table = TraceTable(trace).text(width: nil) { text, _ in text }
    #expect(table.contains("0.005  browser                signin page\n"), "\(table)")
  }

  @Test("a grant that is a URN is told in words") func grants() throws {
    let request =
      #"{"type":"exchange","id":8,"at":5000,"took":1,"from":"host","to":"authority","request":{"method":"POST","url":"https://login.example.com/token","headers":[],"body":{"form":[["grant_type","urn:openid:params:grant-type:ciba"]]}},"response":{"status":200,"headers":[]}}"#
    let text = SampleTrace().text.replacing(#"{"type":"end""#, with: request + "\n" + #"{"type":"end""#)
    let trace = try SampleTrace.withFile(text) { try RecordedTrace(path: $0) }
    let table = TraceTable(trace).text(width: nil) { text, _ in text }
    #expect(table.contains("POST token · backchannel request "), "\(table)")
  }

  @Test("a request says in words that it has a request object, details or a resource") func kindsOfRequests() throws {
    let url = "https://login.example.com/authorize?client_id=app"
    for (parameters, words) in [
      ("&request=%5Brequest%20object%20%231%5D", " · request object"),
      ("&authorization_details=x&resource=urn%3Aa&resource=urn%3Ab", " · authorization details · resource"), ("", ""),
    ] {
      let exchange =
        #"{"type":"exchange","id":8,"at":5000,"from":"browser","to":"authority","request":{"method":"GET","url":"\#(url)\#(parameters)","headers":[]},"response":{"status":200,"headers":[]}}"#
      let text = SampleTrace().text.replacing(#"{"type":"end""#, with: exchange + "\n" + #"{"type":"end""#)
      let trace = try SampleTrace.withFile(text) { try RecordedTrace(path: $0) }
      let table = TraceTable(trace).text(width: nil) { text, _ in text }
      #expect(table.contains("0.005  browser → authority    GET authorize\(words)  "), "\(table)")
    }
  }

  @Test("a page of a window has its title, and a status that is an error") func windowPage() throws {
    func row(_ title: String, _ status: Int) throws -> Bool {
      let page =
        #"{"type":"page","id":8,"at":5000,"agent":"webview","status":\#(status),"title":"\#(title)","alerts":[]}"#
      let text = SampleTrace().text.replacing(#"{"type":"end""#, with: page + "\n" + #"{"type":"end""#)
      let trace = try SampleTrace.withFile(text) { try RecordedTrace(path: $0) }
      let words = "page" + (title.isEmpty ? "" : " “\(title)”") + (status < 400 ? "\n" : ", \(status)\n")
      return TraceTable(trace).text(width: nil) { text, _ in text }.contains("0.005  browser                \(words)")
    }
    #expect(try row("Error: Sign in", 200))
    #expect(try row("Not found", 404))
    #expect(try row("", 0))
  }

  @Test("what ends the script is explained once") func ending() throws {
    let text = SampleTrace(fails: true).text
    let failure = try #require(text.firstMatch(of: #/"error":\{[^}]*\}/#)).0
    let ended = text.replacing(
      #"{"type":"end""#, with: "{\"type\":\"error\",\"id\":8,\"at\":22000,\(failure)}\n{\"type\":\"end\"")
    let table = try SampleTrace.withFile(ended) {
      TraceTable(try RecordedTrace(path: $0)).text(width: nil) { text, _ in text }
    }
    #expect(table.matches(of: #/→ check the user name/#).count == 1, "\(table)")
    #expect(table.hasSuffix("script                 the script ends with an error: AADB2C90225\n"), "\(table)")
  }

  @Test("many requests alike are one row") func folded() throws {
    let text = try table(SampleTrace(rows: 1000))
    #expect(text.contains("POST /api/tasks  ×\u{202F}1000"), "\(text)")
    #expect(text.contains("1,001 requests"))
    #expect(text.split(separator: "\n").count == 9)
  }

  @Test("it fits on a narrow terminal") func narrow() throws {
    let lines = try table(SampleTrace(), width: 80).split(separator: "\n")
    #expect(lines.dropFirst().allSatisfy { $0.count <= 80 })
    #expect(lines.contains { $0.contains("…") })
  }

  @Test("control characters of what was recorded do not reach the terminal") func controls() throws {
    var text = SampleTrace().text
    text = text.replacing("Alice Liddell", with: #"Alice\u001b[31m"#)
    let trace = try SampleTrace.withFile(text) { try RecordedTrace(path: $0) }
    #expect(!TraceTable(trace).text(width: nil) { text, _ in text }.contains("\u{1B}"))
  }
}
