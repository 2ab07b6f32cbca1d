import Core
import JSON
import Settings
import Testing

@Suite("Settings of a provider, as an account keeps them")
struct ProviderTests {
  private static func settings(_ changes: [String: JSON] = [:]) throws -> Settings {
    let values: [String: JSON] = [
      "clientID": "app", "clientSecret": "a-secret-of-the-app", "tokenURL": "https://a.example/token",
      "authURL": "https://a.example/authorize", "policies": ["signIn": "b2c_1_in"], "bhh": "http://localhost/",
      "customHeaders": ["X-Key": "a-key-of-the-app"], "taskAPI": "https://tasks.example",
    ]
    return try Settings(values: values.merging(changes) { _, new in new }, source: "test")
  }

  @Test("say where and as whom, and no secret")
  func keptSettings() throws {
    let settings = try Self.settings()
    #expect(!settings.provider.encoded().contains("-of-the-app"))
    let restored = try Settings(
      provider: settings.provider, clientSecret: settings.clientSecret, source: "the account Alice")
    #expect(try restored.clientID == "app")
    #expect(try restored.redirectURL == "http://localhost/")
    #expect(restored.tokenEndpoint(policy: nil) == "https://a.example/token")
    #expect(restored.authURL == "https://a.example/authorize")
    #expect(try restored.policy() == "b2c_1_in")
    #expect(restored.clientSecret?.reveal() == "a-secret-of-the-app")
    #expect(restored.customHeaders.isEmpty)
  }

  @Test("settings lead to their own provider, whatever else has changed in them")
  func sameProvider() throws {
    let provider = try Self.settings().provider
    #expect(try Self.settings(["clientSecret": "another-secret", "taskAPI": "https://x.example"]).leads(to: provider))
    #expect(try Self.settings(["policies": ["signIn": "b2c_1_other"]]).leads(to: provider))
    #expect(try !Self.settings(["clientID": "other"]).leads(to: provider))
    #expect(try !Self.settings(["tokenURL": "https://b.example/token"]).leads(to: provider))
    #expect(try !Self.settings(["authority": "https://b.example"]).leads(to: provider))
  }

  @Test("a vault is one of three")
  func vault() throws {
    #expect(try Self.settings().vault == "automatic")
    #expect(try Self.settings(["vault": "key_file"]).vault == "key_file")
    let error = #expect(throws: SettingsError.self) { try Self.settings(["vault": "keyring"]) }
    #expect(error?.message == "test: vault is \"keyring\"; put one of automatic, secret_service and key_file there")
  }
}

@Suite("The scopes that are asked for where the settings name none")
struct DefaultScopesTests {
  @Test(arguments: [
    ("authority", "https://issuer.example", ["openid", "offline_access"]),
    ("authURL", "https://issuer.example/authorize", ["openid", "offline_access"]),
    ("authority", "https://a.b2clogin.com/a.onmicrosoft.com/b2c_1_in", ["openid", "app", "offline_access"]),
    ("tokenURL", "https://issuer.example/token", ["openid", "app", "offline_access"]),
  ])
  func scopes(name: String, url: String, expected: [String]) throws {
    #expect(try Settings(values: ["clientID": "app", name: .string(url)], source: "test").scopes == expected)
  }
}
