package import Conform
package import Core
import HTTPClient
package import HostLoop
import JSON

/// A run of checks at a provider.
@HostActor
package struct ProviderRun {
  package let provider: ProviderUnderTest

  /// Fetches the metadata and the keys of the provider.
  package init(_ options: ProviderUnderTest.Options) async throws {
    var options = options
    func fetch(_ url: String) async throws -> Answer {
      let request = HTTPRequest(url: url, headers: ["Accept": "application/json"], maximumBodySize: 1 << 20)
      let response = try await HTTPClient(options.http).send(request)
      if options.http.addresses == .named { options.http.addresses = .near(response.address) }
      return Answer(request, response)
    }
    options.http.addresses = .named
    let answer = try await fetch(options.metadataURL)
    guard let members = answer.json?.object, members["issuer"] != nil || members["token_endpoint"] != nil else {
      throw ConformError(
        .noMetadata, "\(WebAddress(options.metadataURL).shown) gave no metadata of a provider: \(answer.shown)",
        hint: "give the issuer, or the address of the metadata document")
    }
    var keys: Answer?
    if let url = members["jwks_uri"]?.string { keys = try? await fetch(url) }
    provider = ProviderUnderTest(options, metadata: answer, members, keys: keys)
  }

  /// Signs in as it should be. The checks of the sign-in look at its messages.
  /// - Returns: the reason why it does not work; nil if it works or no user is given.
  package func signIn() async throws -> String? {
    guard provider.options.isActive, provider.options.client != nil, provider.options.user != nil else { return nil }
    let trial = Trial(provider)
    do {
      let (attempt, landing, token) = try await trial.rightSignIn()
      provider.right = .init(attempt: attempt, landing: landing, token: token)
      return nil
    } catch let end as EndOfProbe {
      return end.finding.detail
    }
  }

  /// Tries the checks one after the other.
  package func run(
    _ checks: [ProviderCheck], progress: @HostActor (Int, Check) -> Void
  ) async throws -> [Verdict] {
    var verdicts: [Verdict] = []
    for (number, check) in checks.enumerated() {
      try Task.checkCancellation()
      progress(number, check.check)
      verdicts.append(try await verdict(check))
    }
    return verdicts
  }

  private func verdict(_ check: ProviderCheck) async throws -> Verdict {
    if let reason = obstacle(check.check) { return Verdict(check.check, reason) }
    let first = try await attempt(check)
    guard first.outcome == .failed || first.outcome == .weak else { return first }
    // A lost packet or a second run at the same provider must not look like a fault.
    let second = try await attempt(check)
    guard second.outcome == first.outcome else {
      return Verdict(
        check.check, .unclear("first \(first.outcome.rawValue) (\(first.detail)), then \(second.outcome.rawValue)"),
        first.evidence + second.evidence)
    }
    return second
  }

  private func attempt(_ check: ProviderCheck) async throws -> Verdict {
    let trial = Trial(provider)
    let finding: Finding
    do { finding = try await check.probe(trial) } catch let end as EndOfProbe {
      finding = end.finding
    } catch let error as CancellationError {
      throw error
    } catch let error as any Failure {
      finding = .unclear(error.message)
    }
    return Verdict(check.check, finding, trial.evidence)
  }

  /// Why a check is not tried; nil if it is.
  private func obstacle(_ check: Check) -> Finding? {
    for need in check.needs where provider.metadata[need] == nil {
      return .notUsed("no \(need) in the metadata")
    }
    if check.danger == .passive { return nil }
    guard provider.options.isActive else { return .skipped("the run is passive") }
    guard check.danger != .mayLock || provider.options.mayLock else {
      return .skipped("the provider may lock the user or the client: --may-lock")
    }
    return nil
  }
}

/// The reason why a run does not begin.
package typealias ConformError = DomainError<ConformProblem>

package enum ConformProblem: String, FailureKind {
  case noMetadata = "no_metadata"
  case notAgreed = "not_agreed"
  case noClient = "no_client"
}
