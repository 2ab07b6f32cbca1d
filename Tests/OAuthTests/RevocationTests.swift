import Core
import HTTPServer
import HostLoop
import JSON
import OAuth
import Testing

@Suite struct RevocationTests {
  private func provider(_ metadata: [String: JSON] = [:]) throws -> Provider {
    let provider = try Provider()
    provider.change {
      $0.metadata = metadata.merging(["revocation_endpoint": .string("\(provider.url)/revoke")]) { $1 }
    }
    return provider
  }

  @Test @HostActor func aTokenIsRevoked() async throws {
    let provider = try provider()
    provider.answer("/revoke", "", type: "text/plain")
    #expect(
      try await RevocationEndpoint(provider.client()).revoke(Secret("refresh-1"), hint: "refresh_token", policy: nil))
    #expect(
      Dictionary(uniqueKeysWithValues: try #require(provider.last).form) == [
        "token": "refresh-1", "token_type_hint": "refresh_token", "client_id": "app",
      ])
  }

  @Test @HostActor func theClientIdentifiesItselfAsTheEndpointWantsIt() async throws {
    let provider = try provider(["revocation_endpoint_auth_methods_supported": ["client_secret_basic"]])
    provider.answer("/revoke", "{}")
    #expect(
      try await RevocationEndpoint(provider.client(["clientSecret": "hidden value"])).revoke(
        Secret("refresh-1"), hint: nil))
    let request = try #require(provider.last)
    #expect(request.header("Authorization") == "Basic YXBwOmhpZGRlbiUyMHZhbHVl")
    #expect(Dictionary(uniqueKeysWithValues: request.form) == ["token": "refresh-1"])
  }

  @Test @HostActor func whereTheProviderCannotNothingIsSent() async throws {
    let provider = try Provider()
    #expect(try await RevocationEndpoint(provider.client()).revoke(Secret("refresh-1")) == false)
    #expect(provider.count("/revoke") == 0)
    let endpointsOnly = try provider.client(["authority": nil, "tokenURL": .string("\(provider.url)/token")])
    #expect(try await RevocationEndpoint(endpointsOnly).revoke(Secret("refresh-1")) == false)
  }

  @Test(arguments: [
    (
      400, #"{"error": "unsupported_token_type"}"#, "unsupported_token_type",
      "unsupported_token_type: the provider cannot revoke tokens of this type", false
    ),
    (
      503, "", "http_503", "the revocation endpoint URL answered 503 with an empty body", true
    ),
  ])
  @HostActor func aRefusalIsTold(
    _ status: Int, _ body: String, _ code: String, _ message: String, _ isRetryable: Bool
  ) async throws {
    let provider = try provider()
    provider.answer("/revoke", body, status: status, headers: [("Retry-After", "7")])
    let error = await oauthError { _ = try await RevocationEndpoint(provider.client()).revoke(Secret("refresh-1")) }
    #expect(error?.code == code)
    #expect(error?.message == message.replacing("URL", with: "\(provider.url)/revoke"))
    #expect(error?.isRetryable == isRetryable)
    #expect(error?.retryAfter == 7)
  }
}
