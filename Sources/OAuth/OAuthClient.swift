import Core
package import HTTPClient
package import HostLoop
package import JOSE
import JSON
package import Settings

/// Speaks OAuth 2.0 and OpenID Connect with one provider, for one application. The endpoints come from the settings,
/// else from the metadata document.
@HostActor
package final class OAuthClient {
  package nonisolated let settings: Settings
  /// The client that sends its requests.
  package nonisolated let http: HTTPClient
  let documents: DocumentCache
  let now: @Sendable () -> Double
  let timeout: Double
  let clock = ClockComparison()
  /// The nonces for proofs of possession that servers have given.
  package nonisolated let nonces: ProofNonces
  /// Gets each metadata document and its address.
  package var onMetadata: (@HostActor (ProviderMetadata, _ url: String) -> Void)?
  /// Reads the key that the setting `clientKey` names.
  package var loadKey: (@HostActor (_ place: String) async throws -> PrivateKey)?
  var loadedKey: PrivateKey?
  /// Reads the certificate, and the key of the settings `clientCertificate` and `clientCertificateKey`.
  package var loadCertificate:
    (@HostActor (_ place: String, _ keyPlace: String?) async throws -> (pem: [UInt8], key: PrivateKey))?
  var loadedCertificate: ClientCertificate?
  /// Gets remarks about a provider that does not keep to the profile and can be used, with the address they are about.
  package var onRemark: (@HostActor (_ remark: String, _ address: String?) -> Void)?
  /// The policies whose metadata documents keep to the profile.
  var profiledPolicies: Set<String> = []
  /// Changes what the client sends; nil except in `b2c-run experiment --deviations`.
  package var deviation: DeviationRun?
  /// When keys and metadata were last fetched because a token named what was not known, by URL.
  var searches: [String: Double] = [:]

  /// - Parameters:
  ///   - now: seconds since 1970, by which tokens and cached documents expire.
  ///   - timeout: seconds that the provider has for each answer.
  package nonisolated init(
    settings: Settings, http: HTTPClient, nonces: ProofNonces = ProofNonces(), now: (@Sendable () -> Double)? = nil,
    timeout: Double = 30
  ) {
    self.settings = settings
    self.http = http
    self.nonces = nonces
    self.timeout = timeout
    self.now = now ?? currentTime
    documents = DocumentCache(http: http, clock: clock, now: now ?? currentTime, timeout: timeout)
  }

  /// Seconds by which this machine's clock is ahead of the provider's, by the answers so far; below 0 when it is behind,
  /// nil before the first answer. Answers are on their way for a while: less than a minute says nothing.
  package var clockDifference: Double? { clock.difference }

  /// The metadata document of a policy, from memory while it is fresh.
  package func metadata(policy: String? = nil) async throws(OAuthError) -> ProviderMetadata {
    try await metadata(policy: policy, again: false)
  }

  /// - Parameter again: asks the provider also while the document in memory is fresh, unless that was just done.
  func metadata(policy: String?, again: Bool) async throws(OAuthError) -> ProviderMetadata {
    let policy = try resolve(policy, .metadata)
    guard let url = settings.metadataURL(policy: policy) else {
      throw OAuthError(
        "missing_endpoint", .metadata, "\(settings.source) does not tell where the provider's metadata document is",
        hint: "put authority into the settings")
    }
    let what = "the metadata document"
    if again, maySearch(url) { documents.startFetch(url, what) }
    let json: JSON
    do { json = try await documents.document(url, what, isLatest: again) } catch {
      throw error.about(policy: policy, settings)
    }
    let metadata = try ProviderMetadata(
      json, from: url, expectedIssuer: settings.issuer, isExternalID: settings.isExternalID,
      usesAliases: settings.clientCertificate != nil)
    onMetadata?(metadata, url)
    return metadata
  }

  func resolve(_ policy: String?, _ stage: OAuthError.Stage) throws(OAuthError) -> String? {
    do { return try settings.policy(policy) } catch { throw OAuthError(error, stage) }
  }

  func clientID(_ stage: OAuthError.Stage) throws(OAuthError) -> String {
    do { return try settings.clientID } catch { throw OAuthError(error, stage) }
  }

  /// - Parameter setting: the setting that would do instead; nil when there is none.
  func endpoint(
    _ endpoint: ProviderMetadata.Endpoint, setting: String?, _ policy: String?, _ stage: OAuthError.Stage
  ) async throws(OAuthError) -> String {
    guard settings.metadataURL(policy: policy) != nil else {
      throw OAuthError(
        "missing_endpoint", stage, "\(settings.source) has \(setting.map { "neither \($0) nor" } ?? "no") authority",
        hint: "put \(setting == nil ? "it" : "one of them") into the settings, or try the local tenant with --local")
    }
    let metadata = try await metadata(policy: policy)
    if let url = metadata[endpoint] { return url }
    if let problem = metadata.problems[endpoint] { throw problem }
    throw OAuthError(
      "missing_endpoint", stage,
      "the provider \(metadata.issuer) names no such endpoint (\(endpoint.rawValue))"
        + (setting.map { ", and \(settings.source) has no \($0)" } ?? ""))
  }
}

@HostActor
final class ClockComparison {
  /// Answers are on their way for a while, and tell whole seconds.
  nonisolated private static let tolerance = 30.0

  /// Seconds by which this machine's clock is ahead of the provider's; below 0 when it is behind; nil while unknown.
  private(set) var difference: Double?

  nonisolated init() {}

  func note(_ response: HTTPResponse, at now: Double) {
    if let date = response.date { difference = now - date }
  }

  /// "this machine's clock is 12 min behind the provider's"; nil when the clocks agree.
  nonisolated static func sentence(difference: Double) -> String? {
    guard abs(difference) > tolerance else { return nil }
    let seconds = abs(difference)
    let amount = seconds < 90 ? "\(Int(seconds)) s" : "\(Int(min(seconds / 60, 1e9).rounded())) min"
    return "this machine's clock is \(amount) \(difference < 0 ? "behind" : "ahead of") the provider's"
  }
}

@Sendable func currentTime() -> Double { UnixTime.now.seconds }

extension Double {
  /// `2019-09-17T09:50:39Z`, for messages.
  var utc: String { UnixTime(self).iso }
}
