import Conform
import HostLoop

/// Tries a check, and once more if it fails: two tries that differ prove nothing.
@HostActor
struct ProbeRepetition {
  let check: Check
  let attempt: @HostActor () async throws -> Finding
  let evidence: @HostActor () -> [Evidence]

  func verdict() async throws -> Verdict {
    let first = try await finding()
    guard first.0.kind == .broken else { return Verdict(check, first.0, first.1) }
    let again = try await finding()
    guard again.0.kind != .broken else { return Verdict(check, again.0, again.1) }
    return Verdict(
      check, .unclear("two tries differ. First: \(first.0.detail). Then: \(again.0.detail)"), first.1 + again.1)
  }

  private func finding() async throws -> (Finding, [Evidence]) {
    do { return (try await attempt(), evidence()) } catch let end as EndOfProbe { return (end.finding, evidence()) }
  }
}
