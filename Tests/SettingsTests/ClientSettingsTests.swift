import JSON
import Settings
import Testing

/// Settings of the client at its provider: how it authenticates, and where the browser goes after signing out.
@Suite struct ClientSettingsTests {
  private func message(_ values: [String: JSON]) -> String? {
    do throws(SettingsError) {
      _ = try Settings(values: values, source: "test")
      return nil
    } catch {
      return error.message
    }
  }

  @Test(
    arguments: [
      ("none", nil), ("client_secret_basic", nil), ("client_secret_post", nil), ("", nil),
      ("client_secret_jwt", nil), ("private_key_jwt", nil),
      ("self_signed_tls_client_auth", nil), ("tls_client_auth", nil),
      (
        "basic",
        "test: clientAuthentication is \"basic\"; put one of none, client_secret_basic, client_secret_post, "
          + "client_secret_jwt, private_key_jwt, tls_client_auth and self_signed_tls_client_auth there"
      ),
    ] as [(String, String?)])
  func clientAuthentication(_ value: String, _ message: String?) {
    #expect(self.message(["clientAuthentication": .string(value)]) == message)
  }

  @Test(arguments: ["redirectURL", "postLogoutRedirectURL"]) func redirectURIs(name: String) throws {
    for url in ["http://localhost:8080/out", "https://app.example/out", "com.example.app://out", "http://127.9.9.9/"] {
      #expect(message([name: .string(url)]) == nil)
    }
    for url in [
      "http://127.0.0.1\\.evil.example/", "http://user@127.0.0.1/", "http://127.0.0.1/#x", "http://app.example/out",
      "http://127.+0.0.1/", "http://127.0.0.1.evil.example/", "/out",
    ] {
      #expect(message([name: .string(url)]) != nil, "\(url)")
    }
  }

  @Test func aProfileIsKnownAndKeptWithAnAccount() throws {
    #expect(message(["profile": "fapi2"]) == nil)
    #expect(
      message(["profile": "fapi"])
        == "test: profile is \"fapi\"; put oauth2.1 or fapi2, the profile that all sign-ins keep to, there")
    #expect(try Settings(values: ["profile": "oauth2.1"], source: "test").provider["profile"] == "oauth2.1")
  }

  @Test func bothAreKeptWithAnAccount() throws {
    let values: [String: JSON] = [
      "clientAuthentication": "client_secret_basic", "postLogoutRedirectURL": "http://localhost/out",
    ]
    #expect(try Settings(values: values, source: "test").provider == .object(values))
  }
}
