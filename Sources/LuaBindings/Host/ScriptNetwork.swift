import HTTPClient
import HostLoop
import JSON
import Lua
import Permissions
import Settings

/// The requests of a run, none of which goes where the script may not.
@HostActor
final class ScriptNetwork {
  /// For what has no origins of its own.
  let client: HTTPClient
  let permissions: Permissions
  private let configuration: HTTPClientConfiguration
  private var others: [HTTPClient] = []

  /// Told of every request of the run.
  var observer: (any ExchangeObserver)? {
    didSet { for client in others + [client] { client.observer = observer } }
  }

  /// Gets the record of every exchange of the run.
  var recorder: (any ExchangeRecorder)? {
    didSet { for client in others + [client] { client.recorder = recorder } }
  }

  init(_ configuration: HTTPClientConfiguration, _ permissions: Permissions) {
    self.configuration = configuration
    self.permissions = permissions
    client = HTTPClient(configuration) { origin throws(HTTPError) in try Self.check(origin, permissions) }
  }

  /// A client that may also go to `known`.
  func client(_ known: KnownOrigins) -> HTTPClient {
    let client = HTTPClient(configuration) { [permissions] origin throws(HTTPError) in
      if !known.origins.contains(origin) { try Self.check(origin, permissions) }
    }
    client.observer = observer
    client.recorder = recorder
    others.append(client)
    return client
  }

  private static func check(_ origin: Origin, _ permissions: Permissions) throws(HTTPError) {
    do { try permissions.check(origin, by: HostCall.current?.name ?? "b2c-run") } catch {
      throw HTTPError(kind: .permissionDenied, message: error.message, hint: error.hint)
    }
  }
}

/// Where one client may go besides where the run may.
@HostActor
final class KnownOrigins: Sendable {
  var origins: Set<Origin>

  init(_ origins: Set<Origin>) { self.origins = origins }
}

extension Settings {
  /// Where these settings lead.
  var origins: Set<Origin> {
    Set(SettingsKey.endpoints.compactMap { self[$0.rawValue]?.string.flatMap { Origin($0) } })
  }
}
