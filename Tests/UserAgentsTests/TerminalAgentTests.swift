import Core
import HostLoop
import Testing
import UserAgents

@Suite struct TerminalAgentTests {
  static let url = "https://b2c.example/authorize?client_id=x&state=s%201&nonce=n"

  /// Returns the agent's final address or error message, and its output.
  @HostActor func open(
    _ lines: [String], redirectURI: String = "http://localhost:8400/cb", takesCode: Bool = true, timeout: Double = 20
  ) async -> (result: String, written: String) {
    var lines = lines
    var written = ""
    let agent = TerminalAgent(
      write: { written += $0 }, readLine: { lines.isEmpty ? nil : lines.removeFirst() })
    do {
      var request = NavigationRequest(url: Self.url, redirectURI: redirectURI, timeout: timeout)
      request.answer.takesCode = takesCode
      return (try await agent.open(request), written)
    } catch {
      return ("\((error as? UserAgentError)?.message ?? String(describing: error))", written)
    }
  }

  @Test(arguments: [
    ("http://localhost:8400/cb?code=abc&state=s%201", "http://localhost:8400/cb?code=abc&state=s%201"),
    ("  <http://localhost:8400/cb#code=abc>\t\r", "http://localhost:8400/cb#code=abc"),
    ("\"http://localhost:8400/cb?error=access_denied\"", "http://localhost:8400/cb?error=access_denied"),
    ("http://localhost:8400/cb?state=s&code=abc", "http://localhost:8400/cb?state=s&code=abc"),
    ("iss=https://b2c.example/&code=abc", "http://localhost:8400/cb?iss=https://b2c.example/&code=abc"),
    ("code=abc&state=t", "http://localhost:8400/cb?code=abc&state=t"),
    ("?state=t&code=abc", "http://localhost:8400/cb?state=t&code=abc"),
    (
      "#error=access_denied&error_description=AADB2C90118%3a",
      "http://localhost:8400/cb?error=access_denied&error_description=AADB2C90118%3a"
    ),
    ("eyJraWQi.ab-_.c", "http://localhost:8400/cb?code=eyJraWQi.ab-_.c&state=s+1"),
    ("YWJjZA==", "http://localhost:8400/cb?code=YWJjZA%3D%3D&state=s+1"),
  ])
  @HostActor func takes(pasted: String, redirect: String) async {
    #expect(await open([pasted]).result == redirect)
  }

  @Test @HostActor func theCodeIsASecretWhereverItStands() async {
    for pasted in [
      "http://localhost:8400/cb?code=secret-code-1&state=s", "http://localhost:8400/cb?a=b#code=secret-code-2",
    ] {
      #expect(await open([pasted]).result == pasted)
    }
    #expect(OutputText("secret-code-1 secret-code-2").text == "[secret] [secret]")
  }

  @Test @HostActor func takesAnOutOfBandCode() async {
    let answer = await open(["abcdef"], redirectURI: "urn:ietf:wg:oauth:2.0:oob")
    #expect(answer.result == "urn:ietf:wg:oauth:2.0:oob?code=abcdef&state=s+1")
  }

  @Test(arguments: [
    (
      "http://localhost:8401/cb?code=1",
      "the pasted address leads to http://localhost:8401/cb; expected one that starts with http://localhost:8400/cb"
    ),
    (
      "http://evil.example/cb?state=s&code=1",
      "the pasted address leads to http://evil.example/cb; expected one that starts with http://localhost:8400/cb"
    ),
    (
      "http://localhost:8400/cb",
      "the pasted address holds neither a code nor an error; expected http://localhost:8400/cb?code=…"
    ),
    (
      "what do I do",
      "the pasted text is neither an address that starts with http://localhost:8400/cb, nor its query, nor a code"
    ),
    ("", "nothing was pasted; expected an address that starts with http://localhost:8400/cb, or a code"),
  ])
  @HostActor func asksAgainThreeTimes(pasted: String, message: String) async {
    let wrong = await open([pasted, pasted, pasted, "code=too-late"])
    #expect(wrong.result == message)
    #expect(wrong.written.components(separatedBy: message).count == 3)
    #expect(await open([pasted, pasted, "code=abc"]).result == "http://localhost:8400/cb?code=abc")
  }

  @Test @HostActor func saysWhatToDo() async {
    #expect(
      await open(["code=abc"]).written == """
        Open this address in a browser and sign in:

          \(Self.url)

        Then paste the address the browser ends at (http://localhost:8400/cb…), or the code it shows, and press Enter:

        """)
  }

  @Test @HostActor func aProviderThatNamesItselfNeedsTheWholeAddress() async {
    let whole = "http://localhost:8400/cb?code=abcd&iss=https://b2c.example"
    let answer = await open(["abcd", whole], takesCode: false)
    #expect(answer.result == whole)
    #expect(
      answer.written.contains(
        "Then paste the address the browser ends at (http://localhost:8400/cb…), and press Enter:\n"))
    #expect(answer.written.contains("the pasted text is a code alone, and the provider also names itself (iss)"))
  }

  @Test @HostActor func theInputEnds() async {
    #expect(
      await open([]).result == "the input ended before the address or the code of the sign-in was pasted")
  }

  @Test @HostActor func nobodyPastesAnything() async throws {
    let never = CancellableWait<String?>()
    let agent = TerminalAgent(write: { _ in }, readLine: { try await never.value() })
    let request = NavigationRequest(url: Self.url, redirectURI: "http://localhost/", timeout: 0.01)
    let error = await #expect(throws: UserAgentError.self) { try await agent.open(request) }
    #expect(error?.message == "nothing was pasted within 0.01 seconds")
  }
}

extension String {
  fileprivate func components(separatedBy text: String) -> [Substring] {
    split(separator: text, omittingEmptySubsequences: false)
  }
}
