import Core
import HTTPClient
import HostLoop
import JSON
import OAuth
import Testing

/// Tests of valid ID tokens on a machine with a wrong clock.
@Suite struct ClockTests {
  private static let usual = "clocks may differ by 300 seconds; check this machine's clock"

  /// - Parameters:
  ///   - server: the provider's time, by its answers.
  ///   - machine: the machine's.
  /// - Returns: the result of validating a token that was issued at `Provider.time` and is valid for an hour.
  @HostActor private func outcome(_ claims: [String: JSON], server: String, machine: Double) async throws -> OAuthError?
  {
    let provider = try Provider()
    provider.change { $0.metadataHeaders = [("Date", "Tue, 14 Nov 2023 \(server) GMT")] }
    let client = try provider.client(now: machine)
    return await oauthError {
      _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(claims), nonce: "n-1", maxAge: 60)
    }
  }

  @Test(
    arguments: [
      (-720, "token_not_yet_valid", "this machine's clock is 12 min behind the provider's; set it right"),
      (-301, "token_not_yet_valid", "this machine's clock is 5 min behind the provider's; set it right"),
      (86_400, "token_expired", "this machine's clock is 1440 min ahead of the provider's; set it right"),
      (720, "authentication_too_old", "this machine's clock is 12 min ahead of the provider's; set it right"),
    ] as [(Double, String, String)])
  @HostActor func aWrongClockIsRecognized(_ difference: Double, _ code: String, _ hint: String) async throws {
    let error = try await outcome([:], server: "22:13:20", machine: Provider.time + difference)
    #expect(error?.code == code)
    #expect(error?.hint == hint)
  }

  @Test @HostActor func aTokenThatIsReallyOldIsNotBlamedOnTheClock() async throws {
    let time = Int64(Provider.time)
    let error = try await outcome(
      ["exp": .integer(time - 86_400)], server: "22:13:20", machine: Provider.time + 600)
    #expect(error?.code == "token_expired")
    #expect(error?.hint == Self.usual)
  }

  @Test @HostActor func clocksThatAgreeAreNotBlamed() async throws {
    let error = try await outcome(
      ["iat": .integer(Int64(Provider.time) + 310)], server: "22:13:40", machine: Provider.time)
    #expect(error?.code == "token_not_yet_valid")
    #expect(error?.hint == Self.usual)
  }

  /// The case of a token that was issued just now, while keys and metadata come from memory.
  @Test @HostActor func theTokenEndpointsTimeCounts() async throws {
    let provider = try Provider()
    let time = SharedTime()
    provider.change { $0.metadataHeaders = [("Date", "Tue, 14 Nov 2023 22:13:20 GMT")] }
    let client = OAuth.Provider(settings: try provider.settings(), http: HTTPClient(), now: { time.now })
    _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(), nonce: "n-1")
    time.advance(-1200)
    provider.token("{\"access_token\": \"access-1\"}", headers: [("Date", "Tue, 14 Nov 2023 22:13:20 GMT")])
    _ = try await TokenEndpoint(client).token(.refreshToken(Secret("refresh-1")))
    let error = await oauthError {
      _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(), nonce: "n-1")
    }
    #expect(
      error?.message
        == "the ID token is from the future (iat): expected a time before 2023-11-14T21:53:20Z, got 2023-11-14T22:13:20Z"
    )
    #expect(error?.hint == "this machine's clock is 20 min behind the provider's; set it right")
  }

  @Test @HostActor func aSignInInTheFutureIsRefused() async throws {
    let error = try await outcome(
      ["auth_time": .integer(Int64(Provider.time) + 301)], server: "22:13:20", machine: Provider.time)
    #expect(
      error?.message
        == "the user signed in in the future (auth_time): expected a time before 2023-11-14T22:13:20Z, got "
        + "2023-11-14T22:18:21Z")
  }
}
