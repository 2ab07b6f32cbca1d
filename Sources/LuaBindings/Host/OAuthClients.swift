import HTTPClient
import HostLoop
import JOSE
import OAuth
import Permissions
import Secrets
import Settings

/// The OAuth clients of a run, one for each set of settings, so that metadata and keys are fetched once.
@HostActor
final class OAuthClients {
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

  private let network: ScriptNetwork
  /// The run's own: what the metadata document of their provider names may be connected to.
  var runSettings: @HostActor () -> Settings? = { nil }
  private var clients: [Key: OAuthClient] = [:]

  init(_ network: ScriptNetwork) { self.network = network }

  /// - Parameter isOfAccount: whether the settings are those an account signed in with. A person has allowed that then,
  ///   and for what the account's own client does there it goes on to be allowed.
  func client(for settings: Settings, isOfAccount: Bool = false) -> OAuthClient {
    let key = Key(settings, isOfAccount: isOfAccount)
    if let client = clients[key] { return client }
    let known = isOfAccount ? KnownOrigins(settings.origins) : nil
    let client = OAuthClient(settings: settings, http: known.map(network.client) ?? network.client)
    let isOfRun = runSettings().map { Key($0, isOfAccount: isOfAccount) } == key
    client.onMetadata = { [network] metadata in
      known?.origins.formUnion(metadata.origins)
      if isOfRun { network.permissions.allow(metadata.origins) }
    }
    clients[key] = client
    return client
  }
}
