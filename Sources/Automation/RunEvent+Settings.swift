package import Core
package import HTTPClient
import JSON
package import Settings

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
