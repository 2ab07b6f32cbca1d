package import HTTPClient
package import HostLoop
import JSON
import Permissions
package import Settings

/// The HTTP clients of a run. Each asks for permission before it connects to an origin.
@HostActor
package final class ScriptNetwork {
  /// The client of everything without origins of its own.
  package let client: HTTPClient
  private let permissions: Permissions
  private let callName: @HostActor () -> String?
  private let configuration: HTTPClientConfiguration
  private var others: [HTTPClient] = []

  /// Observes every request of the run.
  package var observer: (any ExchangeObserver)? {
    didSet { for client in others + [client] { client.observer = observer } }
  }

  /// Gets the record of every exchange of the run.
  package var recorder: (any ExchangeRecorder)? {
    didSet { for client in others + [client] { client.recorder = recorder } }
  }

  /// - Parameter callName: the name of the call that the script waits for.
  init(
    _ configuration: HTTPClientConfiguration, _ permissions: Permissions, callName: @escaping @HostActor () -> String?
  ) {
    self.configuration = configuration
    self.permissions = permissions
    self.callName = callName
    client = HTTPClient(configuration) { origin throws(HTTPError) in
      try Self.check(origin, permissions, by: callName())
    }
  }

  /// A client that may also connect to `known`.
  package func client(_ known: KnownOrigins) -> HTTPClient {
    let client = HTTPClient(configuration) { [permissions, callName] origin throws(HTTPError) in
      if !known.origins.contains(origin) { try Self.check(origin, permissions, by: callName()) }
    }
    client.observer = observer
    client.recorder = recorder
    others.append(client)
    return client
  }

  private static func check(_ origin: Origin, _ permissions: Permissions, by callName: String?) throws(HTTPError) {
    do { try permissions.check(origin, by: callName ?? "b2c-run") } catch {
      throw HTTPError(kind: .permissionDenied, message: error.message, hint: error.hint)
    }
  }
}

/// The origins that one client may connect to besides those of the run.
@HostActor
package final class KnownOrigins: Sendable {
  package var origins: Set<Origin>

  package init(_ origins: Set<Origin>) { self.origins = origins }
}

extension Settings {
  /// The origins of all addresses in these settings.
  package var origins: Set<Origin> {
    Set(SettingsKey.endpoints.compactMap { self[$0.rawValue]?.string.flatMap { Origin($0) } })
  }
}
