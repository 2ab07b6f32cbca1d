package import Conform
import HostLoop

/// A check of a provider with the probe that tries it.
package struct ProviderCheck: Sendable {
  /// Returns the finding, or throws `EndOfProbe`. Another error makes the check unclear.
  package typealias Probe = @HostActor @Sendable (Trial) async throws -> Finding

  package let check: Check
  let probe: Probe

  init(
    _ topic: Topic, _ name: String, _ title: String, _ action: String, _ rule: Rule, _ profiles: Set<Profile>? = nil,
    needs: [String] = [], danger: Danger? = nil, peers: [String] = [], probe: @escaping Probe
  ) {
    let others = (OAuchPeers.names["\(topic.id).\(name)"] ?? []).map { "oauch:\($0)" }
    check = Check(topic, name, title, action, rule, profiles, needs: needs, danger: danger, peers: peers + others)
    self.probe = probe
  }

  /// All checks, in the order in which they are listed and tried.
  package static let all: [ProviderCheck] = [
    MetadataChecks.metadata, FeatureChecks.features, StrengthChecks.strengths, KeyChecks.keys, PageChecks.pages,
    RedirectChecks.redirects, AuthorizationChecks.authorization, CodeChecks.codes, TokenChecks.token,
    ClientSecretChecks.clients, RefreshChecks.refreshes, RefreshChecks.credentials, IDTokenChecks.idToken,
    UserinfoChecks.userinfo, AfterSignInChecks.introspection, AfterSignInChecks.revocation,
    PushedRequestChecks.pushed, ProofChecks.proofs, GrantChecks.device, GrantChecks.backchannel,
    GrantChecks.exchanges, RegistrationChecks.registration,
  ].flatMap(\.self)
}
