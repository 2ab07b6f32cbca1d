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
    check = Check(topic, name, title, action, rule, profiles, needs: needs, danger: danger, peers: peers)
    self.probe = probe
  }

  /// All checks, in the order in which they are listed and tried.
  package static let all: [ProviderCheck] = [
    metadata, features, strengths, keys, pages, redirects, authorization, codes, token, clients, refreshes, credentials,
    idToken, userinfo, introspection, revocation, pushed, proofs, device, backchannel, exchanges, registration,
  ].flatMap(\.self)
}
