import Core
import HTTPClient
import HTTPServer
import HostLoop
import JSON
import OAuth
import Settings
import Testing

/// Native authentication at a provider that sends the answers of a test.
@HostActor @Suite struct NativeTests {
  private static let base = "/contoso.onmicrosoft.com"
  private let provider: Provider
  private let client: OAuth.Provider

  init() throws {
    provider = try Provider()
    client = try provider.client([
      "kind": "external_id", "policies": .null, "tokenURL": .string("\(provider.url)/token"),
    ])
  }

  private func error(_ endpoint: NativeEndpoint, _ parameters: [String: String] = [:]) async -> OAuthError? {
    await oauthError { _ = try await NativeAuthentication(client).send(endpoint, parameters) }
  }

  @Test(
    arguments: [
      (NativeEndpoint.initiate, "/oauth2/v2.0/initiate", "oob password redirect"),
      (.signUpStart, "/signup/v1.0/start", "oob password redirect"),
      (.resetStart, "/resetpassword/v1.0/start", "oob redirect"),
      (.resetPoll, "/resetpassword/v1.0/poll_completion", nil),
    ] as [(NativeEndpoint, String, String?)])
  func whatIsSent(endpoint: NativeEndpoint, path: String, types: String?) async throws {
    provider.answer(Self.base + path, #"{"continuation_token":"next"}"#)
    let answer = try await NativeAuthentication(client).send(endpoint, ["username": "eva@example.com"])
    #expect(answer["continuation_token"] == "next")
    let form = Dictionary(provider.last?.form ?? []) { _, last in last }
    #expect(form["client_id"] == "app")
    #expect(form["username"] == "eva@example.com")
    #expect(form["challenge_type"] == types)
    #expect(provider.last?.header("Authorization") == nil)
  }

  @Test func theProviderWantsABrowser() async {
    provider.answer(
      Self.base + "/oauth2/v2.0/initiate", #"{"challenge_type":"redirect","redirect_reason":"why\n not"}"#)
    let error = await error(.initiate)
    #expect(error?.code == "redirect")
    #expect(error?.message.contains("\n") == false)
    #expect(error?.message.hasPrefix("the provider wants this user to sign in with a browser (why") == true)
    #expect(error?.hint == "sign in with flow = \"authorization_code\"")
  }

  @Test func theTokenEndpointWantsABrowser() async {
    provider.token(#"{"challenge_type":"redirect","redirect_reason":"Client is missing mfa_required capability"}"#)
    let request = TokenRequest(grantType: "password", parameters: ["continuation_token": "t", "password": "p"])
    let error = await oauthError { _ = try await TokenEndpoint(client).token(request) }
    #expect(error?.code == "redirect")
    #expect(error?.details["redirect_reason"] == "Client is missing mfa_required capability")
  }

  /// Entra's numbers vary, so the members decide.
  @Test(arguments: [
    (
      #"{"error":"invalid_grant","suberror":"invalid_oob_value","error_description":"AADSTS901007: No."}"#,
      "invalid_oob_value"
    ),
    (#"{"error":"invalid_grant","suberror":"password_too_weak"}"#, "password_too_weak"),
    (#"{"error":"invalid_request","error_codes":[901007]}"#, "invalid_request"),
    (#"{"error":"invalid_grant","suberror":"mfa_required","continuation_token":"x"}"#, "redirect"),
    (#"{"error":"attributes_required"}"#, "attributes_required"),
  ])
  func errors(answer: String, code: String) async {
    provider.answer(Self.base + "/signup/v1.0/continue", answer, status: 400)
    #expect(await error(.signUpContinue)?.code == code)
  }

  @Test func aSignUpMayNeedMore() async throws {
    provider.answer(
      Self.base + "/signup/v1.0/continue", #"{"error":"credential_required","continuation_token":"next"}"#, status: 400)
    #expect(try await NativeAuthentication(client).send(.signUpContinue, [:])["error"] == "credential_required")
  }

  @Test(arguments: [
    (#"{"status":"succeeded"}"#, 200, "malformed_response", "answered without a continuation_token"),
    (#"{"continuation_token":""}"#, 200, "malformed_response", "answered without a continuation_token"),
    (#"{"continuation_token":7}"#, 200, "malformed_response", "answered without a continuation_token"),
    ("[]", 200, "malformed_response", "JSON that is not an object"),
    ("<html>", 200, "malformed_response", "instead of JSON"),
    ("", 500, "http_500", "answered 500"),
    ("{}", 302, "malformed_response", "with a redirect"),
  ])
  func answersThatMakeNoSense(body: String, status: Int, code: String, words: String) async {
    let type = body.hasPrefix("<") ? "text/html" : "application/json"
    provider.answer(Self.base + "/oauth2/v2.0/challenge", body, status: status, type: type)
    let error = await error(.challenge, ["continuation_token": "t-1"])
    #expect(error?.code == code)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func noSecretIsRepeated() async {
    provider.answer(
      Self.base + "/signup/v1.0/continue",
      #"{"error":"invalid_grant","error_description":"Chamomile-7, 12345678 and continuation-1 are wrong"}"#,
      status: 400)
    let error = await error(
      .signUpContinue, ["password": "Chamomile-7", "oob": "12345678", "continuation_token": "continuation-1"])
    #expect(error?.message == "invalid_grant: [secret], [secret] and [secret] are wrong")
    #expect(error?.details["error_description"]?.contains("Chamomile") == false)
  }

  @Test func nothingIsSentElsewhere() async throws {
    let b2c = try provider.client()
    let error = await oauthError { _ = try await NativeAuthentication(b2c).send(.initiate, [:]) }
    #expect(error?.code == "not_external_id")
    #expect(
      error?.message
        == "native authentication needs Microsoft Entra External ID, and settings.plist does not lead to it")
    let confidential = try provider.client(["kind": "external_id", "policies": .null, "clientSecret": "s3cret-s3cret"])
    #expect(
      await oauthError { _ = try await NativeAuthentication(confidential).send(.initiate, [:]) }?.code
        == "unsupported_client_authentication")
    #expect(provider.last == nil)
  }
}
