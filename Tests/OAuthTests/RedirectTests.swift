import Core
import OAuth
import Testing

@Suite struct RedirectTests {
  static let expected = "http://localhost:8080/done"

  private func error(_ url: String, expected: String? = expected, state: String? = "s-1") -> OAuthError? {
    do {
      _ = try AuthorizationResponse(redirect: url, expectedRedirectURI: expected, state: state, issuer: "https://a/")
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("http://localhost:8080/done?code=c%2F1&state=s-1", expected),
    ("http://localhost:8080/done#code=c%2F1&state=s-1", expected),
    ("HTTP://LocalHost:8080/done?state=s-1&code=c%2F1&iss=https%3A%2F%2Fa%2F", expected),
    ("http://localhost/?code=c%2F1&state=s-1", "http://localhost:80"),
    ("http://localhost:8080/done?x=1&code=c%2F1&state=s-1", "http://localhost:8080/done?x=1"),
    ("http://localhost:8080/done?x=1#code=c%2F1&state=s-1", "http://localhost:8080/done?x=1"),
    ("urn:ietf:wg:oauth:2.0:oob?code=c%2F1&state=s-1", "urn:ietf:wg:oauth:2.0:oob"),
    ("com.example.app://signed-in?code=c%2F1&state=s-1", "com.example.app://signed-in"),
  ])
  func aCodeIsTakenFromQueryOrFragment(_ url: String, _ expected: String) throws {
    let response = try AuthorizationResponse(
      redirect: url, expectedRedirectURI: expected, state: "s-1", issuer: "https://a/")
    #expect(response.code == "c/1")
    #expect(response.state == "s-1")
  }

  @Test(arguments: [
    "http://localhost:8080/done/?code=c&state=s-1", "http://localhost:8080/Done?code=c&state=s-1",
    "http://localhost:8081/done?code=c&state=s-1", "https://localhost:8080/done?code=c&state=s-1",
    "http://localhost.example.com:8080/done?code=c&state=s-1", "http://user@localhost:8080/done?code=c&state=s-1",
    "http://localhost:8080/donee?code=c&state=s-1", "http://localhost:8080/login?u=http://localhost:8080/done&code=c",
  ])
  func anotherPlaceIsNoRedirect(_ url: String) {
    let error = error(url)
    #expect(error?.code == "redirect_mismatch")
    #expect(
      error?.message.hasPrefix(
        "the redirect does not match the redirect URI: expected \"http://localhost:8080/done\", got \"") == true)
  }

  @Test(arguments: [
    (
      "?code=c&state=other", "state_mismatch",
      "the redirect's state is not the one that was sent: expected \"s-1\", got \"other\""
    ),
    ("?code=c", "state_mismatch", "the redirect's state is not the one that was sent: expected \"s-1\", got none"),
    (
      "?error=access_denied&state=other", "state_mismatch",
      "the redirect's state is not the one that was sent: expected \"s-1\", got \"other\""
    ),
    (
      "?code=c&state=s-1&iss=https%3A%2F%2Fb", "issuer_mismatch",
      "the redirect comes from another provider (iss): expected \"https://a/\", got \"https://b\""
    ),
    ("?code=c&code=d&state=s-1", "malformed_redirect", "the redirect has the parameter \"code\" twice"),
    (
      "?state=s-1", "malformed_redirect", "the redirect has neither a code nor an error; its parameters are state"
    ),
    (
      "?code=&state=s-1", "malformed_redirect",
      "the redirect has neither a code nor an error; its parameters are code, state"
    ),
    ("?error=&state=s-1", "unknown_error", "unknown_error: the provider gave no reason"),
    ("?error=access_denied", "access_denied", "access_denied: the user or the provider refused"),
    (
      "?error=server_error&error_description=It%20broke.%0aTwice.&state=s-1", "server_error",
      "server_error: It broke. Twice"
    ),
  ])
  func whatIsWrongIsSaid(_ query: String, _ code: String, _ message: String) {
    let error = error(Self.expected + query)
    #expect(error?.code == code)
    #expect(error?.message == message)
    #expect(error?.stage == .authorize)
  }

  /// Agents return the form that a page posts to the redirect URI as the query of the redirect URI.
  @Test("rp-response_mode-form_post, rp-response_mode-form_post-error") func formPost() throws {
    let response = try AuthorizationResponse(
      redirect: "\(Self.expected)?code=c&id_token=a.b.c&state=s-1", expectedRedirectURI: Self.expected, state: "s-1")
    #expect(response.idToken == "a.b.c")
    #expect(error("\(Self.expected)?error=login_required&state=s-1")?.code == "login_required")
  }

  @Test func tokensInARedirectDoNotPrintThemselves() throws {
    let response = try AuthorizationResponse(redirect: "\(Self.expected)#access_token=front-1-token&token_type=bearer")
    #expect(response.accessToken == Secret(given: "front-1-token"))
    // Whoever passes a redirect in has a word taken out of messages otherwise.
    #expect(OutputText("got front-1-token").text == "got front-1-token")
  }

  @Test(arguments: ["state", "iss", "id_token", "error", "anything"]) func nothingMayOccurTwice(_ name: String) {
    let error = error("\(Self.expected)?code=c&\(name)=1&\(name)=1")
    #expect(error?.message == "the redirect has the parameter \"\(name)\" twice")
  }

  @Test func b2cErrorsAreDecoded() {
    let error = error(
      Self.expected
        + "?error=access_denied&error_description=AADB2C90118%3a+The+user+has+forgotten+their+password.%0d%0a"
        + "Correlation+ID%3a+33fbf4ea-0e40-4d4a-a3c1-5c5b1a8c9f9e%0d%0aTimestamp%3a+2019-09-17+09%3a50%3a39Z%0d%0a&state=s-1"
    )
    #expect(error?.code == "AADB2C90118")
    #expect(error?.message == "AADB2C90118: The user has forgotten their password")
    #expect(error?.hint == "sign in with the password reset policy (policies.reset)")
    #expect(error?.details["error"] == "access_denied")
    #expect(error?.details["correlation_id"] == "33fbf4ea-0e40-4d4a-a3c1-5c5b1a8c9f9e")
    #expect(error?.details["timestamp"] == "2019-09-17 09:50:39Z")
  }

  @Test func withoutExpectationsAnyRedirectIsRead() throws {
    let response = try AuthorizationResponse(redirect: "https://x/y?code=1&session_state=2#z")
    #expect(response.parameters == ["code": "1", "session_state": "2"])
  }
}
