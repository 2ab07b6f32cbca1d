import JSON
import Testing

@testable import OAuth

/// A document from elsewhere leads to no service of this machine.
@Suite struct MetadataPlaceTests {
  @Test(arguments: [
    "https://127.0.0.1/token", "https://localhost:8443/token", "http://[::1]/token", "https://db.localhost/token",
  ])
  func endpointsOfThisMachineAreThoseOfItsOwnDocuments(_ endpoint: String) throws {
    func read(_ place: String) throws -> ProviderMetadata {
      let json: JSON = ["issuer": .string(place), "token_endpoint": .string(endpoint)]
      return try ProviderMetadata(json, from: "\(place)/.well-known/openid-configuration", expectedIssuer: place)
    }
    #expect(try read("http://127.0.0.1:8080")[.token] == endpoint)
    let error = try #require(throws: OAuthError.self) { try read("https://provider.example") }
    #expect(error.code == "insecure_endpoint")
    #expect(
      error.message
        == "token_endpoint in the metadata document https://provider.example/.well-known/openid-configuration"
        + " is on this machine, and the document is not: \"\(endpoint)\"")
  }
}
