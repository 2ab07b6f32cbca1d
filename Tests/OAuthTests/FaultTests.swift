import Core
import HTTPClient
import HTTPServer
import HostLoop
import JSON
import OAuth
import Settings
import Testing

/// Tests of faults of the provider, each with its message for the user.
@Suite struct FaultTests {
  private static let refresh = TokenRequest.refreshToken(Secret("refresh-1"), scopes: ["app"])
  private static let document = "\(Provider.path)/.well-known/openid-configuration"

  /// Returns the error of a refresh. In its message, `AUTHORITY` and `TOKEN` stand for the addresses of the provider and of its token endpoint.
  @HostActor private func refreshError(
    _ provider: Provider, _ changes: [String: JSON] = [:], timeout: Double = 30
  ) async -> (error: OAuthError?, message: String?) {
    let error = await oauthError {
      _ = try await TokenEndpoint(provider.client(changes, timeout: timeout)).token(Self.refresh)
    }
    let message = error?.message.replacing("\(provider.url)/token?p=b2c_1_in", with: "TOKEN")
      .replacing(provider.url.dropFirst("http://".count), with: "AUTHORITY")
    return (error, message)
  }

  @Test @HostActor func down() async throws {
    let port = SilentPort()
    let url = "http://127.0.0.1:\(port.number)"
    let settings = try Settings(
      values: ["clientID": "app", "tokenURL": .string("\(url)/token"), "authority": .string("\(url)/t")], source: "x")
    let client = OAuth.Provider(settings: settings, http: HTTPClient())
    for (what, error) in [
      ("token endpoint", await oauthError { _ = try await TokenEndpoint(client).token(Self.refresh) }),
      ("metadata document", await oauthError { _ = try await client.metadata() }),
    ] {
      #expect(error?.code == "unreachable")
      #expect(
        error?.message
          == "the \(what) could not be reached: cannot connect to 127.0.0.1:\(port.number) (connection refused)")
      #expect(error?.hint == "check the address and its port, and whether the server runs")
      #expect(error?.isRetryable == true)
    }
  }

  /// The responses would come after the test's own time limit; the client does not wait for them.
  @Test(.timeLimit(.minutes(1))) @HostActor func slow() async throws {
    let provider = try Provider()
    provider.change { $0.answers["/token"] = ServerResponse(status: 200, delay: 3600) }
    let (error, message) = await refreshError(
      provider, ["tokenURL": .string("\(provider.url)/token")], timeout: 0.3)
    #expect(error?.code == "timeout")
    #expect(
      message == "the token endpoint could not be reached: POST to AUTHORITY was not answered within 0.3 seconds")
    #expect(error?.hint == "the provider or the network is in trouble; try again later")
    #expect(error?.isRetryable == true)
    provider.change { $0.answers[Self.document] = ServerResponse(status: 200, delay: 3600) }
    let metadata = await refreshError(provider, timeout: 0.3)
    #expect(
      metadata.message
        == "the metadata document could not be reached: GET to AUTHORITY was not answered within 0.3 seconds")
  }

  @Test @HostActor func huge() async throws {
    let provider = try Provider()
    provider.answer("/token", "{\"access_token\": \"" + String(repeating: "x", count: 5 << 20) + "\"}")
    let (error, message) = await refreshError(provider)
    #expect(error?.code == "too_large")
    #expect(
      message
        == "the token endpoint could not be read: the answer to POST to AUTHORITY is larger than 1048576 bytes")
    #expect(error?.hint == "check that the address in the settings is the provider's")
    #expect(error?.isRetryable == false)
    provider.answer(Self.document, "{\"issuer\": \"" + String(repeating: "x", count: 2 << 20) + "\"}")
    #expect(
      await refreshError(provider).message
        == "the metadata document could not be read: the answer to GET to AUTHORITY is larger than 1048576 bytes")
  }

  @Test @HostActor func cutOff() async throws {
    let provider = try Provider()
    let whole = ServerResponse(text: "{\"access_token\": \"access-1\"}", type: "application/json")
    provider.change {
      $0.answers["/token"] = whole
      $0.answers["/token"]?.drop = .midResponse
    }
    let (error, message) = await refreshError(provider)
    #expect(error?.code == "connection_lost")
    #expect(
      message
        == "the token endpoint could not be read: the connection of POST to AUTHORITY was lost before the answer was "
        + "complete")
    #expect(error?.hint == "the provider or the network is in trouble; try again later")
    #expect(error?.isRetryable == true)
  }

  /// A truncated token is not yet known as a secret.
  @Test(arguments: [
    (#"{"access_token": "half-a-tok"#, "damaged JSON (line 1, column 28)"),
    (
      #"{"access_token": "a-1", "access_token": "b-2"}"#, "JSON that has a name twice in one object (line 1, column 38)"
    ),
    (#"{"access_token": "a-1"} {}"#, "damaged JSON (line 1, column 25)"),
    (
      "{\"x\": \(String(repeating: "[", count: 40))\(String(repeating: "]", count: 40))}",
      "damaged JSON"
    ),
  ])
  @HostActor func damaged(_ body: String, _ what: String) async throws {
    let provider = try Provider()
    provider.token(body)
    let (error, message) = await refreshError(provider)
    #expect(error?.code == "malformed_response")
    #expect(message == "the token endpoint TOKEN answered 200 with \(what)")
    #expect(error?.hint == "the provider or the network is in trouble; try again later")
    #expect(error?.stage == .refresh)
  }

  @Test(arguments: ["text/plain", "text/html", "application/octet-stream", "application/problem+json"])
  @HostActor func jsonOfAnotherTypeIsTaken(_ type: String) async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"access-1\"}", type: type)
    #expect(try await TokenEndpoint(provider.client()).token(Self.refresh).accessToken == Secret("access-1"))
    provider.change { $0.metadataHeaders = [("Content-Type", type)] }
    _ = try await provider.client().metadata()
  }

  @Test @HostActor func busy() async throws {
    let provider = try Provider()
    provider.token(
      #"{"error": "temporarily_unavailable"}"#, status: 429, headers: [("Retry-After", "1.5")])
    var error = await refreshError(provider).error
    #expect(error?.retryAfter == 1.5)
    #expect(error?.details["retry_after"] == "1.5")
    #expect(error?.isRetryable == true)
    provider.token(
      "<h1>Busy</h1>", status: 503, type: "text/html",
      headers: [("Retry-After", "Tue, 14 Nov 2023 22:14:20 GMT"), ("Date", "Tue, 14 Nov 2023 22:13:20 GMT")])
    let (busy, message) = await refreshError(provider)
    #expect(message == "the token endpoint TOKEN answered 503 with text/html instead of JSON: \"Busy\"")
    #expect(busy?.hint == "the provider or the network is in trouble; try again later")
    #expect(busy?.retryAfter == 60)
    #expect(busy?.details["retry_after"] == "60")
    provider.answer(Self.document, "", status: 503, headers: [("Retry-After", "9")])
    error = await refreshError(provider).error
    #expect(error?.retryAfter == 9)
    #expect(error?.stage == .metadata)
    #expect(error?.isRetryable == true)
  }

  @Test @HostActor func unknownCertificate() async throws {
    let server = try HTTPServer(tls: .selfSigned(hosts: ["localhost"])) { _ in ServerResponse(status: 200) }
    defer { server.stop() }
    let settings = try Settings(
      values: ["clientID": "app", "tokenURL": .string("https://localhost:\(server.port)/token")], source: "x")
    let error = await oauthError {
      _ = try await TokenEndpoint(OAuth.Provider(settings: settings, http: HTTPClient())).token(Self.refresh)
    }
    #expect(error?.code == "tls")
    #expect(
      error?.message
        == "the token endpoint could not be reached: the certificate of localhost:\(server.port) is not trusted "
        + "(self-signed certificate)")
    #expect(
      error?.hint == "give the certificate of its issuer with --cacert FILE, or in a file that SSL_CERT_FILE names")
    #expect(error?.isRetryable == false)
  }

  @Test(
    arguments: [
      (
        200, "text/html", "<html><title>Captive</title><body>Log in to the Wi-Fi</body></html>", "malformed_metadata",
        "the metadata document DOC is not valid JSON at line 1, column 1: invalid token near '<': \"Log in to the Wi-Fi\"",
        "check authority, authURL and policies in the settings"
      ),
      (
        200, "application/json", "[]", "malformed_metadata", "the metadata document DOC is not a JSON object",
        "check authority, authURL and policies in the settings"
      ),
      (
        200, "application/json", "{}", "malformed_metadata", "the metadata document DOC has no issuer",
        "check authority, authURL and policies in the settings"
      ),
      (
        200, "application/json", #"{"issuer": "a", "issuer": "b"}"#, "malformed_metadata",
        "the metadata document DOC is not valid JSON at line 1, column 24: duplicate object key near '\"issuer\"': "
          + "\"{\"issuer\": \"a\", \"issuer\": \"b\"}\"",
        "check authority, authURL and policies in the settings"
      ),
      (
        500, "text/html", "<p>Oops</p>", "http_500", "the metadata document DOC answered 500: \"Oops\"",
        "try again later"
      ),
    ] as [(Int, String, String, String, String, String)])
  @HostActor func metadataThatIsNone(
    _ status: Int, _ type: String, _ body: String, _ code: String, _ message: String, _ hint: String
  ) async throws {
    let provider = try Provider()
    provider.answer(Self.document, body, status: status, type: type)
    let error = await oauthError { _ = try await provider.client().metadata() }
    #expect(error?.code == code)
    #expect(error?.message == message.replacing("DOC", with: provider.url + Self.document))
    #expect(error?.hint == hint)
  }

  @Test(arguments: [
    (
      "<p>Sign in</p>",
      "the key set URL/keys is not valid JSON at line 1, column 1: invalid token near '<': \"<p>Sign in</p>\""
    ),
    ("{}", "the key set URL/keys cannot be used: a key set needs the member \"keys\", an array"),
  ])
  @HostActor func keysThatAreNone(_ body: String, _ message: String) async throws {
    let provider = try Provider()
    provider.answer("/keys", body)
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: provider.idToken())
    }
    #expect(error?.code == "malformed_metadata")
    #expect(error?.message == message.replacing("URL", with: provider.url))
    #expect(error?.stage == .metadata)
  }
}
