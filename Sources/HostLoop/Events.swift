/// The events of a run, or of a part of it, for everything that watches: the trace, progress lines, hooks. Any type may
/// be an event: `RunEvent` and `RecordedExchange` are. A part of a run, such as an import, has events of its own; they
/// reach the watchers of the part first, then those of the run.
@HostActor
package final class Events: Sendable {
  /// Returns the place in the script at this moment; nil leaves the answer to the run that this is a part of.
  package var place: (@HostActor () -> EventPlace)?

  private let whole: Events?
  private var subscribers: [ObjectIdentifier: AnyObject] = [:]

  /// - Parameter whole: the run that this is a part of.
  package nonisolated init(partOf whole: Events? = nil) { self.whole = whole }

  private final class Subscribers<Event> {
    var watchers: [@HostActor (Event, Events) -> Void] = []
    var handlers: [@HostActor (Event, Events) async throws -> Void] = []
  }

  /// Calls `watcher` with each event of a type and with the events that it was emitted to.
  package func watch<Event: Sendable>(_ type: Event.Type, _ watcher: @escaping @HostActor (Event, Events) -> Void) {
    makeSubscribers(type).watchers.append(watcher)
  }

  /// Calls `handler` with each delivered event of a type. The emitter waits until all handlers have returned.
  package func handle<Event: Sendable>(
    _ type: Event.Type, _ handler: @escaping @HostActor (Event, Events) async throws -> Void
  ) { makeSubscribers(type).handlers.append(handler) }

  /// Passes an event to its watchers. Without a watcher the event is not even made.
  package func emit<Event: Sendable>(_ event: @autoclosure () -> Event) {
    guard isWatched(Event.self) else { return }
    let event = event()
    for part in parts {
      for watcher in part.subscribers(Event.self)?.watchers ?? [] { watcher(event, self) }
    }
  }

  /// Passes an event to its handlers, one after the other.
  package func deliver<Event: Sendable>(_ event: Event) async throws {
    for part in parts {
      for handler in part.subscribers(Event.self)?.handlers ?? [] { try await handler(event, self) }
    }
  }

  /// Returns true if somebody watches events of a type.
  package func isWatched<Event: Sendable>(_ type: Event.Type) -> Bool {
    subscribers(type)?.watchers.isEmpty == false || whole?.isWatched(type) == true
  }

  /// Returns true if somebody handles events of a type.
  package func isHandled<Event: Sendable>(_ type: Event.Type) -> Bool {
    subscribers(type)?.handlers.isEmpty == false || whole?.isHandled(type) == true
  }

  /// The place in the script at this moment.
  package func currentPlace() -> EventPlace { place?() ?? whole?.currentPlace() ?? EventPlace() }

  /// The events themselves, and those of the runs that they are a part of.
  private var parts: [Events] { [self] + (whole?.parts ?? []) }

  private func subscribers<Event>(_ type: Event.Type) -> Subscribers<Event>? {
    subscribers.isEmpty ? nil : subscribers[ObjectIdentifier(type)] as? Subscribers<Event>
  }

  private func makeSubscribers<Event>(_ type: Event.Type) -> Subscribers<Event> {
    if let known = subscribers(type) { return known }
    let made = Subscribers<Event>()
    subscribers[ObjectIdentifier(type)] = made
    return made
  }
}

/// A place in a script.
package struct EventPlace: Sendable {
  /// The line that waits, as `quickstart.lua:24`; nil without a waiting call.
  package var line: String?
  /// The called function, as `http.get`.
  package var call: String?
  /// The lines that wait for that line's coroutine, the innermost first.
  package var via: [String] = []
  package var coroutine: Int?
  /// The line that runs: a handler's or a hook's, if the host has called one on behalf of the call.
  package var runningLine: String?

  package init() {}
}

/// The circumstances of requests, for everything that records them. It holds for a task and its children.
package struct RequestScope: Sendable {
  @TaskLocal package static var current = RequestScope()

  /// The number of earlier attempts.
  package private(set) var retries = 0
  /// True if an agent makes the requests in place of a browser.
  package private(set) var isBrowser = false

  /// Runs `body`, whose requests are attempts after `retries` others.
  @HostActor
  package static func retrying<T: Sendable>(
    after retries: Int, _ body: @HostActor () async throws -> T
  ) async rethrows -> T {
    var scope = current
    scope.retries = retries
    return try await $current.withValue(scope) { try await body() }
  }

  /// Runs `body`, whose requests are those of a browser.
  @HostActor
  package static func asBrowser<T: Sendable>(_ body: @HostActor () async throws -> T) async rethrows -> T {
    var scope = current
    scope.isBrowser = true
    return try await $current.withValue(scope) { try await body() }
  }
}
