import HostLoop
import JSON
import OAuth
import Testing

/// The parameter `iss` of redirects (RFC 9207), against a provider that gets a user to mix it up with another.
@Suite struct RedirectIssuerTests {
  private static let redirect = "http://localhost:8080/done?code=c&state=s-1"
  private static let hint = "somebody may have mixed up two providers to get at the code; sign in again"

  private func iss(_ issuer: String) -> String {
    "&iss=\(issuer.replacing(":", with: "%3A").replacing("/", with: "%2F"))"
  }

  @Test @HostActor func theProvidersOwnIsTaken() async throws {
    let provider = try Provider()
    let response = try await AuthorizationEndpoint(provider.client()).readRedirect(
      Self.redirect + iss(provider.issuer), expectedRedirectURI: "http://localhost:8080/done", state: "s-1")
    #expect(response.code == "c")
    #expect(provider.count("openid-configuration") == 1)
  }

  @Test(arguments: ["code=c", "error=access_denied"]) @HostActor
  func anothersIsRefused(_ answer: String) async throws {
    let provider = try Provider()
    let error = await oauthError {
      _ = try await AuthorizationEndpoint(provider.client()).readRedirect(
        "http://localhost:8080/done?\(answer)&state=s-1" + iss("https://evil.example/"), state: "s-1")
    }
    #expect(error?.code == "issuer_mismatch")
    #expect(
      error?.message
        == "the redirect comes from another provider (iss): expected \"\(provider.issuer)\", got "
        + "\"https://evil.example/\"")
    #expect(error?.hint == Self.hint)
  }

  @Test @HostActor func withoutOneNothingIsFetched() async throws {
    let provider = try Provider()
    _ = try await AuthorizationEndpoint(provider.client()).readRedirect(Self.redirect, state: "s-1")
    #expect(provider.count("openid-configuration") == 0)
  }

  @Test @HostActor func whereItIsPromisedItMustBeThere() async throws {
    let provider = try Provider()
    provider.change { $0.metadata = ["authorization_response_iss_parameter_supported": true] }
    let client = try provider.client()
    _ = try await client.metadata()
    let error = await oauthError {
      _ = try await AuthorizationEndpoint(client).readRedirect(Self.redirect, state: "s-1")
    }
    #expect(
      error?.message
        == "the redirect comes from another provider (iss): expected \"\(provider.issuer)\", got none")
    #expect(error?.hint == Self.hint)
    _ = try await AuthorizationEndpoint(client).readRedirect(Self.redirect + iss(provider.issuer), state: "s-1")
  }

  /// Canaille and django-oauth-toolkit leave it out of errors, which redeem nothing.
  @Test @HostActor func anErrorWithoutOneIsTheProvidersAllTheSame() async throws {
    let provider = try Provider()
    provider.change { $0.metadata = ["authorization_response_iss_parameter_supported": true] }
    let client = try provider.client()
    _ = try await client.metadata()
    let redirect = "http://localhost:8080/done?error=consent_required&error_description=Ask%20first&state=s-1"
    let error = await oauthError { _ = try await AuthorizationEndpoint(client).readRedirect(redirect, state: "s-1") }
    #expect(error?.code == "consent_required")
    #expect(error?.message == "consent_required: Ask first")
    #expect(error?.details["missing_parameter"] == "iss")
    #expect(
      error?.hint?.hasSuffix(
        "; the redirect lacks the issuer (iss) that the provider promises, so it may be another provider's") == true)
    let foreign = await oauthError { _ = try await AuthorizationEndpoint(client).readRedirect(redirect, state: "s-2") }
    #expect(foreign?.code == "state_mismatch")
  }

  @Test @HostActor func theIssuerOfTheSettingsCountsWithoutMetadata() async throws {
    let provider = try Provider()
    let client = try provider.client([
      "authority": nil, "authURL": .string("\(provider.url)/authorize"), "issuer": "https://id.example.com",
    ])
    _ = try await AuthorizationEndpoint(client).readRedirect(
      Self.redirect + iss("https://id.example.com"), state: "s-1")
    let error = await oauthError {
      _ = try await AuthorizationEndpoint(client).readRedirect(
        Self.redirect + iss("https://evil.example"), state: "s-1")
    }
    #expect(error?.code == "issuer_mismatch")
    // There is no known value to compare the issuer with.
    let unknown = try provider.client(["authority": nil, "authURL": .string("\(provider.url)/authorize")])
    _ = try await AuthorizationEndpoint(unknown).readRedirect(
      Self.redirect + iss("https://id.example.com"), state: "s-1")
  }

  @Test @HostActor func inAFragmentItCountsToo() async throws {
    let provider = try Provider()
    let error = await oauthError {
      _ = try await AuthorizationEndpoint(provider.client()).readRedirect(
        "http://localhost:8080/done#code=c&state=s-1" + iss("https://evil.example"), state: "s-1")
    }
    #expect(error?.code == "issuer_mismatch")
  }
}
