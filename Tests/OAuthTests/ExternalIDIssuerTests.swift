import OAuth
import Testing

/// The issuers of Microsoft Entra External ID with `kind = "external_id"`.
@Suite struct ExternalIDIssuerTests {
  private static let guid = "0a7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e40"
  private static let other = "1b7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e41"
  private static let issuer = "https://\(guid).ciamlogin.com/\(guid)/v2.0"
  private static let path = "/v2.0/.well-known/openid-configuration"

  private func isAccepted(_ issuer: String, at base: String, isExternalID: Bool = true) -> Bool {
    do {
      try IssuerRule.check(issuer, from: base + Self.path, expected: nil, isExternalID: isExternalID)
      return true
    } catch {
      #expect(error.code == "issuer_mismatch")
      return false
    }
  }

  @Test func aDomainOfTheTenantsOwnHasTheGUID() {
    let own = "https://login.contoso.com/\(Self.guid)"
    #expect(isAccepted(Self.issuer, at: own))
    #expect(!isAccepted(Self.issuer, at: own, isExternalID: false))
    #expect(!isAccepted("https://\(Self.other).ciamlogin.com/\(Self.other)/v2.0", at: own))
    #expect(!isAccepted(Self.issuer, at: "https://login.contoso.com/contoso.onmicrosoft.com"))
    #expect(!isAccepted(Self.issuer, at: "https://login.contoso.com/x/\(Self.guid)"))
    #expect(!isAccepted("https://\(Self.guid).ciamlogin.com.evil.example/\(Self.guid)/v2.0", at: own))
  }

  @Test func microsoftsHostsAreAsBefore() {
    for isExternalID in [true, false] {
      let base = "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"
      #expect(isAccepted(Self.issuer, at: base, isExternalID: isExternalID))
      #expect(
        !isAccepted("https://\(Self.guid).ciamlogin.com/\(Self.other)/v2.0", at: base, isExternalID: isExternalID))
    }
  }

  @Test func aServerOnThisMachineNamesItself() {
    let base = "http://127.0.0.1:8910/contoso.onmicrosoft.com"
    #expect(isAccepted("http://127.0.0.1:8910/\(Self.guid)/v2.0", at: base))
    #expect(!isAccepted("http://127.0.0.1:8911/\(Self.guid)/v2.0", at: base))
    #expect(!isAccepted(Self.issuer, at: base))
    #expect(!isAccepted("http://127.0.0.1:8910/\(Self.guid)/v2.0", at: base, isExternalID: false))
  }
}
