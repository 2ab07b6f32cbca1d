import JSON
import Settings
import Testing

/// Settings for Microsoft Entra External ID.
@Suite struct ExternalIDTests {
  private func settings(_ values: [String: JSON]) throws -> Settings { try Settings(values: values, source: "s.json") }

  @Test(
    arguments: [
      ("https://contoso.ciamlogin.com/contoso.onmicrosoft.com", nil),
      ("https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0", nil),
      ("https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration", nil),
      ("https://contoso.ciamlogin.com", nil), ("https://contoso.ciamlogin.com/", "external_id"),
    ] as [(String, String?)])
  func theAuthorityIsTheTenant(authority: String, kind: String?) throws {
    let settings = try settings(["authority": .string(authority), "kind": kind.map(JSON.string) ?? .null])
    let base = "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"
    #expect(settings.isExternalID)
    #expect(settings.metadataURL(policy: nil) == "\(base)/v2.0/.well-known/openid-configuration")
    #expect(settings.externalIDAddress("signup/v1.0/start") == "\(base)/signup/v1.0/start")
    #expect(try settings.policy(nil) == nil)
    #expect(settings.scopes == ["openid", "offline_access"])
  }

  @Test func aTenantMayHaveADomainOfItsOwn() throws {
    let address = "https://login.contoso.com/0a7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e40"
    let settings = try settings(["authority": .string(address), "kind": "external_id"])
    #expect(settings.metadataURL(policy: nil) == "\(address)/v2.0/.well-known/openid-configuration")
    let other = try self.settings(["authority": .string(address)])
    #expect(!other.isExternalID)
  }

  @Test func theTokenEndpointNamesTheTenant() throws {
    let base = "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"
    let settings = try settings(["tokenURL": .string("\(base)/oauth2/v2.0/token")])
    #expect(settings.externalIDAddress("oauth2/v2.0/initiate") == "\(base)/oauth2/v2.0/initiate")
    #expect(try self.settings(["kind": "external_id"]).externalIDAddress("x") == nil)
  }

  @Test func thereAreNoPolicies() throws {
    let settings = try settings(["kind": "external_id", "authority": "https://contoso.ciamlogin.com"])
    let error = #expect(throws: SettingsError.self) { try settings.policy("reset") }
    #expect(error?.message == "there is no policy \"reset\": Microsoft Entra External ID has no policies")
    let mixed = try self.settings(["kind": "external_id", "policies": ["signIn": "b2c_1_susi"]])
    let mixture = #expect(throws: SettingsError.self) { try mixed.policy(nil) }
    #expect(mixture?.message == "s.json has policies, which Microsoft Entra External ID does not have")
    #expect(mixture?.hint?.contains("take policies out") == true)
  }

  @Test func anUnknownKindIsRefused() throws {
    let error = #expect(throws: SettingsError.self) { try settings(["kind": "external"]) }
    #expect(
      error?.message
        == "s.json: kind is \"external\"; put external_id for Microsoft Entra External ID, or b2c for Azure AD B2C there"
    )
  }
}
