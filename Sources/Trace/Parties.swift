package import HTTPClient
import HostLoop
import JSON

/// Who takes part in a run, as far as addresses tell.
struct Parties {
  /// Who asks.
  enum Asker: String {
    case script, host, browser
  }

  /// Who is asked.
  enum Asked: String {
    case authority, tasks, other
  }

  private(set) var authority: Set<Origin> = []
  private(set) var tasks: [String] = []

  /// - Returns: whether there was something new.
  mutating func add(authority origins: Set<Origin>, tasks url: String?) -> Bool {
    let isNew = !origins.isSubset(of: authority) || url.map { !tasks.contains($0) } ?? false
    authority.formUnion(origins)
    if let url, !tasks.contains(url) { tasks.append(url) }
    return isNew
  }

  /// Whose address it is. A task API may be at the authority's own origin, as at the local tenant.
  func asked(_ url: String) -> Asked {
    if tasks.contains(where: { url.hasPrefix($0) }) { return .tasks }
    return Origin(url).map(authority.contains) == true ? .authority : .other
  }

  /// Set while an agent goes somewhere in a user's place.
  @TaskLocal static var agent = false
}

extension TraceRecorder {
  /// The run has to do with these.
  /// - Parameter tasks: the address below which the task API is.
  package func know(authority: Set<Origin>, tasks: String?) {
    guard parties.add(authority: authority, tasks: tasks) else { return }
    write(
      "parties",
      members: [
        "authority": .array(parties.authority.map(\.description).sorted().map { .string($0) }),
        "tasks": .array(parties.tasks.map { .string($0) }),
      ])
  }

  /// Requests of `body` are those of a browser.
  package nonisolated static func asBrowser<T: Sendable>(
    _ body: @HostActor () async throws -> T
  ) async rethrows -> T {
    try await Parties.$agent.withValue(true) { try await body() }
  }

  /// Who sends a request at this moment, in the name of `place`.
  func asker(_ place: TracePlace) -> Parties.Asker {
    if place.call?.hasPrefix("http.") == true { return .script }
    return Parties.agent ? .browser : .host
  }
}
