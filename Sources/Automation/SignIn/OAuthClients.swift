import Core
import HTTPClient
package import HostLoop
import JSON
import LocalTenant
package import OAuth
package import Settings

/// The OAuth clients of a run, one for each set of settings, so that metadata and keys are fetched once.
@HostActor
package final class OAuthClients {
  private struct Key: Hashable {
    let values: JSON
    let clientSecret: Secret?
    let isOfAccount: Bool

    init(_ settings: Settings, isOfAccount: Bool) {
      self.isOfAccount = isOfAccount
      values = .object(Dictionary(uniqueKeysWithValues: settings.names.map { ($0, settings[$0] ?? .null) }))
      clientSecret = settings.clientSecret
    }
  }

  private unowned let automation: Automation
  private var clients: [Key: OAuthClient] = [:]

  init(_ automation: Automation) { self.automation = automation }

  /// The client for a set of settings. Only the client of the run's provider, or of an account's, may connect to the
  /// origins that the provider's metadata names.
  /// - Parameter isOfAccount: true if an account signed in with the settings. A person allowed that then, so that the
  ///   account's own client may go on to connect there.
  package func client(for settings: Settings, isOfAccount: Bool = false) -> OAuthClient {
    let key = Key(settings, isOfAccount: isOfAccount)
    if let client = clients[key] { return client }
    let isOfRun = (try? automation.settings()).map { Key($0, isOfAccount: isOfAccount) } == key
    let known = isOfAccount ? KnownOrigins(settings.origins) : isOfRun ? KnownOrigins([]) : nil
    let network = automation.network
    let client = OAuthClient(settings: settings, http: known.map(network.client) ?? network.client)
    // Scripts decide what the local tenant's documents say (tenant.fault).
    let ownTenant = automation.tenant.flatMap { Origin($0.url) }
    let events = automation.events
    client.onMetadata = { metadata, url in
      events.emit(RunEvent.parties(metadata.origins, settings))
      guard let known, let origin = Origin(url), origin != ownTenant else { return }
      known.origins.formUnion(metadata.origins)
    }
    events.emit(RunEvent.parties(settings.origins, settings))
    clients[key] = client
    return client
  }
}
