package import Core
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
  private let events: Events

  /// - Parameters:
  ///   - events: get the events of all clients.
  ///   - callName: the name of the call that the script waits for.
  init(
    _ configuration: HTTPClientConfiguration, _ permissions: Permissions, _ events: Events,
    callName: @escaping @HostActor () -> String?
  ) {
    self.configuration = configuration
    self.permissions = permissions
    self.events = events
    self.callName = callName
    client = HTTPClient(configuration, events: events) { origin throws(HTTPError) in
      try Self.check(origin, permissions, by: callName())
    }
  }

  /// A client that may also connect to `known`.
  package func client(_ known: KnownOrigins) -> HTTPClient {
    HTTPClient(configuration, events: events) { [permissions, callName] origin throws(HTTPError) in
      if !known.origins.contains(origin) { try Self.check(origin, permissions, by: callName()) }
    }
  }

  private static func check(_ origin: Origin, _ permissions: Permissions, by callName: String?) throws(HTTPError) {
    do { try permissions.check(origin, by: callName ?? "b2c-run") } catch {
      throw HTTPError(.permissionDenied, error.message, hint: error.hint)
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

extension RunEvent {
  /// The parties that settings, or a metadata document found by them, name.
  package static func parties(_ origins: Set<Origin>, _ settings: Settings) -> RunEvent {
    let tasks = try? settings.taskAPI
    let api = tasks.flatMap { Origin($0) }
    // The task API is the provider's own only if the settings say so.
    let isShared = SettingsKey.endpoints.contains { key in
      key != .taskAPI && settings[key.rawValue]?.string.flatMap { Origin($0) } == api
    }
    return .parties(
      authority: Set((isShared ? origins : origins.filter { $0 != api }).map(\.description)),
      tasks: tasks.map { address in
        let base = address.hasSuffix("/") ? String(address.dropLast()) : address
        return base + (settings.tasksPath.hasPrefix("/") ? "" : "/") + settings.tasksPath
      })
  }
}
