import Conform
import ConformProvider
import HostLoop
import LocalTenant
import Testing

/// The checks of providers: honest ones are not accused, and each fault is found.
@HostActor @Suite struct ProviderTests {
  /// The habits of Azure AD B2C that the local tenant has, too.
  private static let habits: Set = ["provider.token.error-characters", "provider.pkce.required"]

  @Test(arguments: [TenantProfile?.none, .oauth21, .fapi2])
  func anHonestProviderIsNotAccused(_ profile: TenantProfile?) async throws {
    let provider = try TestProvider(profile)
    var selection = Selection()
    selection.profile = profile.flatMap { Profile(rawValue: $0.rawValue) }
    let checks = ProviderCheck.all.filter { selection.has($0.check) }
    let verdicts = try await provider.verdicts(try await provider.options(), checks)
    let accused = verdicts.filter { $0.outcome == .failed && !Self.habits.contains($0.check.id) }
    #expect(accused.map { "\($0.check.id): \($0.detail)" } == [])
    let unclear = verdicts.filter { $0.outcome == .unclear }
    #expect(unclear.map { "\($0.check.id): \($0.detail)" } == [])
  }

  /// The checks that no planted fault reaches here: they need https, a lifetime that passes, or a second network.
  private static let beyond: Set = [
    "provider.pages.hsts", "provider.pages.http", "provider.pages.cookies-secure", "provider.redirect.loopback-port",
    "provider.redirect.port", "provider.pkce.offered",
  ]

  @Test func eachFaultIsFound() async throws {
    let provider = try TestProvider()
    let options = try await provider.options()
    var found: Set<String> = []
    for planted in PlantedFault.all {
      let checks = ProviderCheck.all.filter { check in
        planted.topics.contains(check.check.topic.id) && !found.contains(check.check.id)
      }
      let verdicts: [Verdict]
      do { verdicts = try await provider.verdicts(options, checks, planted.fault(provider)) } catch {
        Issue.record("\(planted.name): \(error)")
        continue
      }
      let hits = verdicts.filter(\.isBroken)
      #expect(!hits.isEmpty, "\(planted.name) is found by no check")
      found.formUnion(hits.map(\.check.id))
    }
    let strict = try TestProvider(.fapi2)
    let fapi = ProviderCheck.all.filter { $0.check.id == "provider.refresh.fapi-rotation" }
    let verdicts = try await strict.verdicts(
      try await strict.options(), fapi, PlantedFault.rotation.fault(strict))
    found.formUnion(verdicts.filter(\.isBroken).map(\.check.id))
    let all = Set(ProviderCheck.all.map(\.check.id))
    let missing = all.subtracting(found)
    print("conform provider: \(found.count) of \(all.count) checks found their planted fault")
    #expect(missing.subtracting(Self.beyond).sorted() == [])
  }
}
