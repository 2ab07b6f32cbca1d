import HTTPClient
import HTTPServer
import HostLoop
import JSON
import OAuth
import Settings
import Synchronization
import Testing

@Suite struct MetadataTests {
  @Test @HostActor func theDocumentIsFetchedOnceAtATime() async throws {
    let provider = try Provider()
    let client = try provider.client()
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<5 { group.addTask { try await client.metadata().issuer } }
      for try await issuer in group { #expect(issuer == provider.issuer) }
    }
    #expect(provider.count("openid-configuration") == 1)
  }

  @Test @HostActor func aRedirectOfTheDocumentIsNotFollowed() async throws {
    let server = try HTTPServer { request in
      request.path == "/elsewhere"
        ? ServerResponse(text: #"{"issuer": "https://evil.example"}"#, type: "application/json")
        : ServerResponse(status: 302, headers: [("Location", "/elsewhere")])
    }
    defer { server.stop() }
    let url = "http://127.0.0.1:\(server.port)"
    let settings = try Settings(
      values: ["authority": .string(url), "issuer": "https://evil.example"], source: "settings.plist")
    let error = await oauthError { _ = try await OAuth.Provider(settings: settings, http: HTTPClient()).metadata() }
    #expect(
      error?.message
        == "the metadata document \(url)/.well-known/openid-configuration answered 302 with a redirect")
    #expect(error?.hint == "if /elsewhere is right, put it in its place")
  }

  @Test @HostActor func theDocumentIsKeptAsLongAsAllowedAndThenRevalidated() async throws {
    let provider = try Provider()
    provider.change { $0.metadataHeaders = [("Cache-Control", "private, max-age=600"), ("ETag", "\"1\"")] }
    let shared = SharedTime()
    let client = OAuth.Provider(settings: try provider.settings(), http: HTTPClient(), now: { shared.now })
    _ = try await client.metadata()
    shared.advance(599)
    _ = try await client.metadata()
    #expect(provider.count("openid-configuration") == 1)
    shared.advance(2)
    _ = try await client.metadata()
    #expect(provider.count("openid-configuration") == 2)
    #expect(provider.last?.header("If-None-Match") == "\"1\"")
    shared.advance(599)
    _ = try await client.metadata()
    #expect(provider.count("openid-configuration") == 2)
  }

  @Test(arguments: [
    ("/contoso.onmicrosoft.com/b2c_1_in/v2.0", true), ("/contoso.onmicrosoft.com/b2c_1_in/v2.0/", true),
    ("/775527ff-9a37-4307-8b3d-cc311f58d925/v2.0/", true),
    ("/tfp/775527ff-9a37-4307-8b3d-cc311f58d925/B2C_1_in/v2.0/", true),
    ("/tfp/775527ff-9a37-4307-8b3d-cc311f58d925/b2c_1_other/v2.0/", false), ("/fabrikam.onmicrosoft.com/v2.0/", false),
    ("/", false),
  ])
  @HostActor func theIssuerIsThatOfTheURLOrB2Cs(_ path: String, _ isAccepted: Bool) async throws {
    let provider = try Provider()
    let issuer = provider.url + path
    provider.change { $0.metadata = ["issuer": .string(issuer)] }
    let error = await oauthError { _ = try await provider.client().metadata() }
    #expect((error == nil) == isAccepted)
    if !isAccepted {
      #expect(
        error?.message
          == "the metadata document \(provider.url)\(Provider.path)/.well-known/openid-configuration names an issuer of "
          + "another place: expected \"\(provider.url)\(Provider.path)\", got \"\(issuer)\"")
      _ = try await provider.client(["issuer": .string(issuer)]).metadata()
    }
  }

  @Test @HostActor func aForeignIssuerIsRefused() async throws {
    let provider = try Provider()
    provider.change {
      $0.metadata = ["issuer": "https://evil.example.com/775527ff-9a37-4307-8b3d-cc311f58d925/v2.0/"]
    }
    let error = await oauthError { _ = try await provider.client().metadata() }
    #expect(error?.code == "issuer_mismatch")
    #expect(error?.hint == "if that issuer is yours, put it into the settings as issuer")
  }

  @Test @HostActor func endpointsInTheClearAreRefused() async throws {
    let provider = try Provider()
    provider.change { $0.metadata = ["token_endpoint": "http://example.com/token"] }
    let error = await oauthError { _ = try await provider.client().metadata() }
    #expect(
      error?.message == "token_endpoint in the metadata document \(provider.url)\(Provider.path)/.well-known/"
        + "openid-configuration would send secrets in the clear: \"http://example.com/token\"")
  }

  @Test @HostActor func aDocumentThatIsNotThereIsSaid() async throws {
    let provider = try Provider()
    let url = "\(provider.url)/contoso.onmicrosoft.com/b2c_1_none/v2.0/.well-known/openid-configuration"
    let error = await oauthError { _ = try await provider.client().metadata(policy: "b2c_1_none") }
    #expect(
      error?.message
        == "the metadata document \(url) answered 404: \"Nothing here\"; perhaps there is no policy \"b2c_1_none\"")
    #expect(error?.status == 404)
    #expect(
      error?.hint
        == "did you mean \"b2c_1_in\"? the name is from the option policy; or check authority, authURL and policies in the "
        + "settings")
  }

  @Test @HostActor func aProviderThatIsNotThereIsSaid() async throws {
    let port = SilentPort()
    let error = await oauthError {
      let settings = try Settings(
        values: ["authority": .string("http://127.0.0.1:\(port.number)/t"), "clientID": "a"], source: "test")
      _ = try await OAuth.Provider(settings: settings, http: HTTPClient()).metadata()
    }
    #expect(error?.code == "unreachable")
    #expect(error?.message.hasPrefix("the metadata document could not be reached: ") == true)
    #expect(error?.isRetryable == true)
    withExtendedLifetime(port) {}
  }
}

/// A clock that a test moves.
final class SharedTime: Sendable {
  private let time = Mutex(Provider.time)
  var now: Double { time.withLock { $0 } }
  func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}
