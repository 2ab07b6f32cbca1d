import Core
import HTTPServer
import HostLoop
import JSON
import OAuth
import Testing

@HostActor @Suite struct UserinfoTests {
  private func provider(_ endpoint: String? = nil) throws -> Provider {
    let provider = try Provider()
    provider.change { $0.metadata = ["userinfo_endpoint": .string(endpoint ?? "\(provider.url)/userinfo")] }
    return provider
  }

  /// The values of `WWW-Authenticate` may be quoted, escaped or plain, and come behind other challenges.
  @Test(arguments: [
    (
      "Bearer realm=\"r\", error=\"invalid_token\", error_description=\"The \\\"token\\\" is old, sorry\"",
      "invalid_token",
      "invalid_token: The \"token\" is old, sorry"
    ),
    ("DPoP error=insufficient_scope", "insufficient_scope", "insufficient_scope: the token lacks a scope"),
  ])
  func theReasonOfARefusalIsTold(_ challenge: String, _ code: String, _ message: String) async throws {
    let provider = try provider()
    provider.answer(
      "/userinfo", "", status: 401,
      headers: [("WWW-Authenticate", "Basic realm=\"x\""), ("WWW-Authenticate", challenge)])
    let error = await oauthError { _ = try await UserinfoEndpoint(provider.client()).userinfo(Secret("token-1")) }
    #expect(error?.code == code)
    #expect(error?.message == message)
    #expect(error?.status == 401)
  }

  /// A provider may repeat the token in its answer, and no message may.
  @Test func aRepeatedTokenIsNotTold() async throws {
    let provider = try provider()
    provider.answer(
      "/userinfo", "", status: 401,
      headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\", error_description=\"no token-1-abcdef here\"")])
    let error = await oauthError {
      _ = try await UserinfoEndpoint(provider.client()).userinfo(Secret("token-1-abcdef"))
    }
    #expect(error?.message.contains("abcdef") == false)
    #expect(error?.details.values.contains { $0.contains("abcdef") } == false)
  }

  @Test func aWrongAddressIsAnErrorOnlyThere() async throws {
    let provider = try provider("http://login.example/userinfo")
    _ = try await provider.client().metadata()
    let error = await oauthError { _ = try await UserinfoEndpoint(provider.client()).userinfo(Secret("token-1")) }
    #expect(error?.code == "insecure_endpoint")
    #expect(error?.message.contains("userinfo_endpoint") == true)
  }

  @Test(arguments: [("http://login.example/userinfo", false), (nil, true)])
  func noDeviationSendsATokenToAWrongAddress(_ endpoint: String?, _ isUsed: Bool) async throws {
    let provider = try provider(endpoint)
    provider.token(#"{"access_token": "access-1", "token_type": "Bearer"}"#)
    let client = try provider.client()
    let run = DeviationRun()
    client.link = run
    _ = try await TokenEndpoint(client).token(.refreshToken(Secret("refresh-1"), scopes: ["app"]))
    #expect(run.facts.has(.userinfo) == isUsed)
  }

  @Test func theTokenIsSentWithItsType() async throws {
    let provider = try provider()
    provider.answer("/userinfo", #"{"sub": "alice", "name": "Alice"}"#)
    let answer = try await UserinfoEndpoint(provider.client(["clientSecret": "hidden value"])).userinfo(
      Secret("token-1"), subject: "alice")
    #expect(answer.isCompared)
    #expect(answer.claims["name"] == "Alice")
    let request = try #require(provider.last)
    #expect(request.method == "GET")
    #expect(request.header("Authorization") == "Bearer token-1")
  }
}
