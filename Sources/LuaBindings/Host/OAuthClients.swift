import HTTPClient
import HostLoop
import JOSE
import OAuth
import Secrets
import Settings

/// The OAuth clients of a run, one for each set of settings, so that metadata and keys are fetched once.
@HostActor
final class OAuthClients {
  private struct Key: Hashable {
    let values: JSON
    let clientSecret: Secret?

    init(_ settings: Settings) {
      values = .object(Dictionary(uniqueKeysWithValues: settings.names.map { ($0, settings[$0] ?? .null) }))
      clientSecret = settings.clientSecret
    }
  }

  private let http: HTTPClient
  private var clients: [Key: OAuthClient] = [:]

  init(_ http: HTTPClient) { self.http = http }

  func client(for settings: Settings) -> OAuthClient {
    let key = Key(settings)
    if let client = clients[key] { return client }
    let client = OAuthClient(settings: settings, http: http)
    clients[key] = client
    return client
  }
}
