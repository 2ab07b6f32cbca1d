import Core
package import HTTPClient
package import HostLoop
package import JOSE
import JSON
package import Settings

/// An identity provider, as one application uses it: its settings, its metadata document, and the client of its requests.
/// Each endpoint is a value with a file in `Endpoints`. Its address comes from the settings, else from the metadata document.
@HostActor
package final class Provider {
  package nonisolated let settings: Settings
  /// The client that sends the requests.
  package nonisolated let http: HTTPClient
  /// The nonces for proofs of possession that servers have given.
  package nonisolated let nonces: ProofNonces
  /// The key and the certificate of the application.
  package nonisolated let credentials: ClientCredentials
  let documents: DocumentCache
  let clock = ClockComparison()
  let now: @Sendable () -> Double
  let timeout: Double
  /// The link that each step passes on its way to the provider.
  package var link = ProviderLink()
  /// Gets each metadata document and its address.
  package var onMetadata: @HostActor (ProviderMetadata, _ url: String) -> Void = { _, _ in }
  /// Gets remarks about a provider that does not keep to the profile and can be used, with the address they are about.
  package var onRemark: @HostActor (_ remark: String, _ address: String?) -> Void = { _, _ in }
  /// The policies whose metadata documents keep to the profile.
  var profiledPolicies: Set<String> = []

  /// - Parameters:
  ///   - now: seconds since 1970, by which tokens and cached documents expire.
  ///   - timeout: seconds that the provider has for each answer.
  package nonisolated init(
    settings: Settings, http: HTTPClient, nonces: ProofNonces = ProofNonces(),
    now: @escaping @Sendable () -> Double = currentTime, timeout: Double = 30
  ) {
    self.settings = settings
    self.http = http
    self.nonces = nonces
    self.now = now
    self.timeout = timeout
    credentials = ClientCredentials(settings, now: now)
    documents = DocumentCache(http: http, clock: clock, now: now, timeout: timeout)
  }

  /// Seconds by which this machine's clock is ahead of the provider's, by the answers so far; below 0 when it is behind,
  /// nil before the first answer. Answers are on their way for a while: less than a minute says nothing.
  package var clockDifference: Double? { clock.difference }

  /// The metadata document of a policy, from memory while it is fresh.
  package func metadata(policy: String? = nil) async throws(OAuthError) -> ProviderMetadata {
    try await metadata(policy: policy, again: false)
  }

  /// Asks the provider for the policy in the path of one of its addresses, by the metadata of the policy: a person in a browser
  /// sees an error of the provider, and the program does not.
  /// - Throws: the error with the policies that may be meant, if there is no such policy.
  package func findPolicy(of url: String) async throws(OAuthError) {
    guard settings.namesPolicies, let policy = Settings.policy(ofURL: url),
      let document = settings.metadataURL(policy: policy), Origin(document) == Origin(url)
    else { return }
    // The document is not kept: a code that a person pastes has no `iss`, which a known document may demand.
    let documents = DocumentCache(http: http, clock: clock, now: now, timeout: timeout)
    do { _ = try await documents.document(document, "the metadata document") } catch {
      throw error.about(policy: policy, settings)
    }
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
    if again { documents.search(url, what) }
    let json: JSON
    do { json = try await documents.document(url, what, isLatest: again) } catch {
      throw error.about(policy: policy, settings)
    }
    let metadata = try read(json, url)
    onMetadata(metadata, url)
    return metadata
  }

  /// The metadata document in memory, fresh or not; nil when it was never fetched.
  func knownMetadata(_ policy: String?) -> ProviderMetadata? {
    guard let url = settings.metadataURL(policy: try? settings.policy(policy)), let json = documents.known(url) else {
      return nil
    }
    return try? read(json, url)
  }

  /// The addresses that the host of an endpoint may have. The settings may name any, the provider its neighbors.
  func addresses(of url: String, _ policy: String?) -> AddressRule {
    guard let metadata = knownMetadata(policy), settings.tokenEndpoint(policy: policy) != url else { return .anywhere }
    return documents.addresses(namedBy: metadata.url)
  }

  private func read(_ json: JSON, _ url: String) throws(OAuthError) -> ProviderMetadata {
    try ProviderMetadata(
      json, from: url, expectedIssuer: settings.issuer, isExternalID: settings.isExternalID,
      usesAliases: settings.clientCertificate != nil)
  }

  func resolve(_ policy: String?, _ stage: OAuthError.Stage) throws(OAuthError) -> String? {
    do { return try settings.policy(policy) } catch { throw OAuthError(error, stage) }
  }

  func clientID(_ stage: OAuthError.Stage) throws(OAuthError) -> String {
    do { return try settings.clientID } catch { throw OAuthError(error, stage) }
  }

  /// The given redirect URI, else the one of the settings.
  func redirectURI(_ given: String?) throws(OAuthError) -> String {
    if let given { return given }
    do { return try settings.redirectURL } catch { throw OAuthError(error, .authorize) }
  }

  /// The address of an endpoint in the metadata document.
  /// - Parameters:
  ///   - setting: the setting that would do instead; nil when there is none.
  ///   - hint: advice for a provider without the endpoint.
  func address(
    of endpoint: ProviderMetadata.Endpoint, setting: String? = nil, hint: String? = nil, _ policy: String?,
    _ stage: OAuthError.Stage
  ) async throws(OAuthError) -> String {
    guard settings.metadataURL(policy: policy) != nil else {
      let what = setting == nil ? "it" : "one of them"
      throw OAuthError(
        "missing_endpoint", stage, "\(settings.source) has \(setting.map { "neither \($0) nor" } ?? "no") authority",
        hint: hint ?? "put \(what) into the settings, or try the local tenant with --local")
    }
    let metadata = try await metadata(policy: policy)
    if let url = metadata[endpoint] { return url }
    if let problem = metadata.problems[endpoint] { throw problem }
    throw OAuthError(
      "missing_endpoint", stage,
      "the provider \(metadata.issuer) names no such endpoint (\(endpoint.rawValue))"
        + (setting.map { ", and \(settings.source) has no \($0)" } ?? ""), hint: hint)
  }

  /// A form for an endpoint in the metadata document.
  /// - Parameters:
  ///   - name: names the endpoint in messages.
  ///   - hint: advice for a provider without the endpoint.
  func request(
    to endpoint: ProviderMetadata.Endpoint, _ name: String, _ policy: String?, _ stage: OAuthError.Stage,
    fields: [(String, String)], hint: String
  ) async throws(OAuthError) -> EndpointRequest {
    let url = try await address(of: endpoint, hint: hint, policy, stage)
    return EndpointRequest(
      provider: self, name: name, url: url, stage: stage,
      methods: try await metadata(policy: policy).authenticationMethods(at: endpoint), fields: fields, policy: policy)
  }

  /// The key of a sign-in with proofs: the given one, or a new one for an algorithm that the provider takes.
  /// - Throws: `invalid_key` for a key that the provider does not take.
  package func proofKey(_ given: PrivateKey?, policy: String? = nil) async throws(OAuthError) -> ProofKey {
    let taken = try? await metadata(policy: policy).strings("dpop_signing_alg_values_supported")
    let algorithms = settings.algorithms(among: taken)
    do throws(JOSEError) {
      return if let given { try ProofKey(given, algorithms: algorithms) } else { try .generate(algorithms: algorithms) }
    } catch { throw OAuthError(error, .token) }
  }
}
