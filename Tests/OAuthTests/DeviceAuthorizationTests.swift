import Core
import HTTPServer
import HostLoop
import JSON
import OAuth
import Testing

@Suite struct DeviceAuthorizationTests {
  private func provider(_ answer: String, status: Int = 200) throws -> Provider {
    let provider = try Provider()
    provider.change {
      $0.metadata = ["device_authorization_endpoint": .string("\(provider.url)/devicecode?p=b2c_1_in")]
    }
    provider.answer("/devicecode", answer, status: status)
    return provider
  }

  @Test @HostActor func codesAreGiven() async throws {
    let provider = try provider(
      """
      {"device_code": "d-1", "user_code": "BCDF-GHJK", "verification_uri": "https://example.com/device",
       "verification_uri_complete": "https://example.com/device?user_code=BCDF-GHJK", "expires_in": "900",
       "interval": 0, "message": "Go there.\\nType \\u001b[2JBCDF-GHJK."}
      """)
    let authorization = try await DeviceEndpoint(provider.client()).authorization(scopes: ["openid", "app"])
    #expect(authorization.deviceCode == Secret("d-1"))
    #expect(authorization.userCode == "BCDF-GHJK")
    #expect(authorization.verificationURI == "https://example.com/device")
    #expect(authorization.verificationURIComplete == "https://example.com/device?user_code=BCDF-GHJK")
    #expect(authorization.expiresIn == 900)
    #expect(authorization.interval == 1)
    #expect(authorization.message == "Go there. Type [2JBCDF-GHJK")
    let request = try #require(provider.last)
    #expect(request.target == "/devicecode?p=b2c_1_in")
    #expect(Dictionary(uniqueKeysWithValues: request.form) == ["client_id": "app", "scope": "openid app"])
  }

  @Test @HostActor func whatDraftsCalledOtherwiseIsReadToo() async throws {
    let provider = try provider(
      #"{"device_code": "d", "user_code": "u", "verification_url": "https://example.com/d", "expires_in": 60}"#)
    let authorization = try await DeviceEndpoint(provider.client(["clientSecret": "hidden value"])).authorization()
    #expect(authorization.verificationURI == "https://example.com/d")
    #expect(authorization.interval == 5)
    let form = Dictionary(uniqueKeysWithValues: try #require(provider.last).form)
    #expect(form["client_secret"] == "hidden value")
    #expect(form["scope"] == "openid app offline_access")
  }

  @Test(arguments: [
    (#"{"user_code": "u", "verification_uri": "https://e/d", "expires_in": 60}"#, "no device_code"),
    (#"{"device_code": "d", "verification_uri": "https://e/d", "expires_in": 60}"#, "no user_code"),
    (#"{"device_code": "d", "user_code": "u", "expires_in": 60}"#, "no verification_uri"),
    (#"{"device_code": "d", "user_code": "u", "verification_uri": "https://e/d"}"#, "no expires_in"),
    (
      #"{"device_code": "d", "user_code": "u", "verification_uri": "javascript:alert(1)", "expires_in": 60}"#,
      "a verification_uri that is not an https URL: \"javascript:alert(1)\""
    ),
    (
      #"{"device_code": "d", "user_code": "u", "verification_uri": "http://example.com/d", "expires_in": 60}"#,
      "a verification_uri that is not an https URL: \"http://example.com/d\""
    ),
    (
      #"""
      {"device_code": "d", "user_code": "u", "verification_uri": "https://e/d", "expires_in": 60,
       "verification_uri_complete": "file:///d"}
      """#, "a verification_uri_complete that is not an https URL: \"file:///d\""
    ),
  ])
  @HostActor func whatIsMissingIsNamed(_ answer: String, _ what: String) async throws {
    let provider = try provider(answer)
    let error = await oauthError { _ = try await DeviceEndpoint(provider.client()).authorization() }
    #expect(error?.code == "malformed_response")
    #expect(error?.message == "the device endpoint \(provider.url)/devicecode?p=b2c_1_in gave \(what)")
  }

  @Test @HostActor func theProvidersErrorIsTold() async throws {
    let provider = try provider(#"{"error": "unauthorized_client"}"#, status: 400)
    let error = await oauthError { _ = try await DeviceEndpoint(provider.client()).authorization() }
    #expect(error?.message == "unauthorized_client: the application may not use this grant")
    #expect(error?.stage == .authorize)
  }

  @Test @HostActor func aProviderWithoutItIsNamed() async throws {
    let provider = try Provider()
    let error = await oauthError { _ = try await DeviceEndpoint(provider.client()).authorization() }
    #expect(error?.code == "missing_endpoint")
    #expect(
      error?.message
        == "the provider \(provider.issuer) names no such endpoint (device_authorization_endpoint)")
    #expect(
      error?.hint
        == "Azure AD B2C has no device flow, Microsoft Entra External ID has; sign in with another flow")
  }

  @Test(arguments: [
    ("authorization_pending", "the user has not finished signing in", "ask again after the interval", true),
    (
      "slow_down", "the token endpoint is asked too often", "wait 5 seconds longer each time from now on", true
    ),
    (
      "expired_token", "the device code or the backchannel request has expired before the user answered",
      "start again with a new code or request", false
    ),
  ])
  @HostActor func theTokenEndpointsAnswersAreTold(
    _ error: String, _ meaning: String, _ hint: String, _ isRetryable: Bool
  ) async throws {
    let provider = try Provider()
    provider.token("{\"error\": \"\(error)\"}", status: 400)
    let request = TokenRequest(
      grantType: "urn:ietf:params:oauth:grant-type:device_code", parameters: ["device_code": "d-1"])
    let failure = await oauthError { _ = try await TokenEndpoint(provider.client()).token(request) }
    #expect(failure?.code == error)
    #expect(failure?.message == "\(error): \(meaning)")
    #expect(failure?.hint == hint)
    #expect(failure?.isRetryable == isRetryable)
  }
}
