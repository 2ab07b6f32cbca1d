import Automation
import Core
import HTTPClient
import HostLoop
import JSON
import OAuth
import Permissions
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
  /// The run's own.
  var runSettings: @HostActor () -> Settings? = { nil }
  /// Whether scripts say what is in the documents of this origin.
  var isOfScripts: @HostActor (Origin) -> Bool = { _ in false }
  private var clients: [Key: OAuthClient] = [:]

  init(_ network: ScriptNetwork) { self.network = network }

  /// Where the metadata document of the run's provider, or an account's, leads, the client for it may go, and nobody else.
  /// - Parameter isOfAccount: whether the settings are those an account signed in with. A person has allowed that then,
  ///   and for what the account's own client does there it goes on to be allowed.
  func client(for settings: Settings, isOfAccount: Bool = false) -> OAuthClient {
    let key = Key(settings, isOfAccount: isOfAccount)
    if let client = clients[key] { return client }
    let isOfRun = runSettings().map { Key($0, isOfAccount: isOfAccount) } == key
    let known = isOfAccount ? KnownOrigins(settings.origins) : isOfRun ? KnownOrigins([]) : nil
    let client = OAuthClient(settings: settings, http: known.map(network.client) ?? network.client)
    client.onMetadata = { [unowned self, unowned client] metadata, url in
      client.http.events?.emit(RunEvent.parties(metadata.origins, settings))
      guard let known, let origin = Origin(url), !isOfScripts(origin) else { return }
      known.origins.formUnion(metadata.origins)
    }
    client.http.events?.emit(RunEvent.parties(settings.origins, settings))
    clients[key] = client
    return client
  }
}
