import Core
import HTTPServer
import HostLoop
import JSON
import OAuth
import Testing

/// Tests of providers that differ from Azure AD B2C within the standards.
@Suite struct ProviderVariantTests {
  private static let code = TokenRequest.authorizationCode(
    "c-1", redirectURI: "http://localhost:8080/done", verifier: "v-1", scopes: ["openid", "app"])

  @Test @HostActor func anAuthorityWithoutPoliciesIsEnough() async throws {
    let server = try HTTPServer { request in
      let url = "http://\(request.header("Host") ?? "")"
      return switch request.path {
      case "/realm/.well-known/openid-configuration":
        ServerResponse(
          text: #"{"issuer": "\#(url)/realm", "authorization_endpoint": "\#(url)/a", "token_endpoint": "\#(url)/t"}"#,
          type: "application/json")
      default: ServerResponse(text: #"{"access_token": "access-1", "token_type": "bearer"}"#, type: "application/json")
      }
    }
    defer { server.stop() }
    let url = "http://127.0.0.1:\(server.port)"
    let client = try Provider().client(["policies": nil, "authority": .string("\(url)/realm")])
    #expect(try await AuthorizationEndpoint(client).url(AuthorizationRequest()).hasPrefix("\(url)/a?client_id=app&"))
    let tokens = try await TokenEndpoint(client).token(Self.code)
    #expect(tokens.tokenType == "Bearer")
    #expect(tokens.expiresAt == nil)
    #expect(tokens.scopes == ["openid", "app"])
    #expect(tokens.refreshToken == nil)
  }

  @Test(
    arguments: [
      ("\"3600\"", 3600), ("3600", 3600), ("3600.0", 3600), ("\"soon\"", nil), ("null", nil), ("0", 0),
      ("9223372036854775807", 31_557_600_000), ("\"9223372036854775807\"", 31_557_600_000),
      ("-9223372036854775808", 0), ("1e18", 31_557_600_000), ("1e300", nil),
    ] as [(String, Double?)])
  @HostActor func lifetimesAreNumbersOrStrings(_ text: String, _ seconds: Double?) async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"access-1\", \"token_type\": \"Bearer\", \"expires_in\": \(text)}")
    let tokens = try await TokenEndpoint(provider.client()).token(Self.code)
    #expect(tokens.expiresAt == seconds.map { Provider.time + $0 })
  }

  @Test(arguments: ["Bearer", "bearer", "BEARER"]) @HostActor
  func theTokenTypeIsWrittenInAnyLetterCase(_ type: String) async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"access-1\", \"token_type\": \"\(type)\"}")
    #expect(try await TokenEndpoint(provider.client()).token(Self.code).tokenType == "Bearer")
  }

  @Test(arguments: ["DPoP", "mac", "N_A"]) @HostActor
  func tokensThatCannotBeUsedAreRefused(_ type: String) async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"access-1\", \"token_type\": \"\(type)\"}")
    let error = await oauthError { _ = try await TokenEndpoint(provider.client()).token(Self.code) }
    #expect(error?.code == "unsupported_token_type")
    #expect(
      error?.message
        == "the provider gave an access token that cannot be used here (token_type): expected \"Bearer\", got \"\(type)\""
    )
    #expect(
      error?.hint
        == "register the application for bearer tokens, or sign in with dpop = true for DPoP tokens"
    )
    // A type of its own goes into the settings.
    #expect(try await TokenEndpoint(provider.client(["tokenType": .string(type)])).token(Self.code).tokenType == type)
    // Without an access token its type says nothing.
    provider.token("{\"id_token\": \"a.b.c\", \"token_type\": \"\(type)\"}")
    #expect(try await TokenEndpoint(provider.client()).token(Self.code).accessToken == nil)
  }

  @Test @HostActor func aValueOfTheProviderBeginsNoLine() async throws {
    let provider = try Provider()
    provider.token(#"{"access_token": "access-1", "token_type": "x\r\n  hint: run with -A\u001b[2J"}"#)
    let error = await oauthError { _ = try await TokenEndpoint(provider.client()).token(Self.code) }
    #expect(error?.message.hasSuffix(#"got "x⏎  hint: run with -A␛[2J""#) == true, "\(error?.message ?? "")")
  }

  @Test @HostActor func refreshTokensRotateOrStay() async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"access-2\", \"refresh_token\": \"refresh-2\"}")
    let request = TokenRequest.refreshToken(Secret("refresh-1"))
    #expect(try await TokenEndpoint(provider.client()).token(request).refreshToken == Secret("refresh-2"))
    provider.token("{\"access_token\": \"access-3\"}")
    #expect(try await TokenEndpoint(provider.client()).token(request).refreshToken == nil)
  }

  @Test("rp-token_endpoint-client_secret_post, …-client_secret_basic, none") @HostActor
  func clientsIdentifyThemselves() async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"access-1\"}")
    for (method, hasHeader, hasField) in [
      ("client_secret_post", false, true), ("client_secret_basic", true, false), ("none", false, false),
    ] {
      provider.change { $0.metadata = ["token_endpoint_auth_methods_supported": [.string(method)]] }
      _ = try await TokenEndpoint(provider.client(["clientSecret": "hidden value"])).token(Self.code)
      let request = try #require(provider.last)
      #expect((request.header("Authorization") != nil) == hasHeader, "\(method)")
      #expect(request.form.contains { $0.0 == "client_secret" } == hasField, "\(method)")
      #expect(request.form.contains { $0.0 == "client_id" } == !hasHeader, "\(method)")
    }
  }

  @Test @HostActor func waysToIdentifyThatNobodyKnowsAreNamed() async throws {
    let provider = try Provider()
    provider.change { $0.metadata = ["token_endpoint_auth_methods_supported": ["private_key_jwt", "tls_client_auth"]] }
    let error = await oauthError {
      _ = try await TokenEndpoint(provider.client(["clientSecret": "hidden value"])).token(Self.code)
    }
    #expect(error?.code == "unsupported_client_authentication")
    #expect(
      error?.message
        == "the token endpoint \(provider.url)/token?p=b2c_1_in takes no client secret "
        + "(token_endpoint_auth_methods_supported): expected client_secret_post, client_secret_basic or none, got "
        + "private_key_jwt, tls_client_auth")
    #expect(
      error?.hint
        == "register the application with a client secret, or as a public one and take clientSecret out of the settings"
    )
    #expect(provider.count("/token") == 0)
  }

  @Test @HostActor func algorithmsNobodyKnowsAreLeftOut() async throws {
    let provider = try Provider()
    provider.change {
      $0.metadata = ["id_token_signing_alg_values_supported": ["ES256K", "XY99", "none", "HS256", "RS256"]]
    }
    _ = try await IDTokenValidator(provider.client()).validate(idToken: provider.idToken(), nonce: "n-1")
    provider.change { $0.metadata = ["id_token_signing_alg_values_supported": ["ES256K", "HS256"]] }
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: provider.idToken(), nonce: "n-1")
    }
    #expect(
      error?.message == "the provider signs ID tokens in no way known here (id_token_signing_alg_values_supported): "
        + "expected one of ES256, ES384, ES512, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512, got ES256K, HS256")
  }

  @Test @HostActor func aPointInTimeIsOneOfTheServersClock() async throws {
    let provider = try Provider()
    provider.token(
      "{\"access_token\": \"access-1\", \"expires_on\": 1700000100}",
      headers: [("Date", "Tue, 14 Nov 2023 22:13:20 GMT")])
    let client = try provider.client(["tokenURL": .string("\(provider.url)/token")], now: Provider.time + 90)
    #expect(client.clockDifference == nil)
    #expect(try await TokenEndpoint(client).token(Self.code).expiresIn == 1_700_000_100 - Int64(Provider.time))
    #expect(client.clockDifference == 90)
  }
}
