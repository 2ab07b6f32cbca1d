import Core
import HTTPClient
import HostLoop
import Lua

/// Tells plugins of requests: of those of the host, and of those of the script.
@HostActor
final class RequestHooks: ExchangeObserver {
  private unowned let host: ScriptHost

  init(_ host: ScriptHost) { self.host = host }

  /// A hook that was canceled ends like one without a result: the exchange sees for itself that its task was.
  func begin(_ request: inout HTTPRequest) async -> ExchangeEnd? {
    guard !Hook.isRunning else { return nil }
    // One table for both, so that a plugin can keep in it what it wants to know at the end.
    let table = host.state.makeTable()
    table["method"] = .string(request.method)
    table["url"] = .string(HookedHeaders.shown(url: request.url))
    table["headers"] = HookedHeaders.value(request.headers)
    table["size"] = .integer(request.body?.count ?? 0)
    for hook in host.hooks[.beforeRequest] {
      let headers = request.headers
      guard
        let changed = try? await hook.call([.table(table)], { try HookedHeaders.changed(headers, by: $0) }),
        let changed, changed != headers
      else { continue }
      request.headers = changed
      table["headers"] = HookedHeaders.value(changed)
    }
    guard !host.hooks[.afterResponse].isEmpty else { return nil }
    let isStreamed = request.onBody != nil
    return { [host] result, seconds in
      let answer = Self.value(result, seconds, isStreamed: isStreamed, host.state)
      for hook in host.hooks[.afterResponse] { try? await hook.call([.table(table), answer]) }
    }
  }

  private static func value(
    _ result: Result<HTTPResponse, HTTPError>, _ seconds: Double, isStreamed: Bool, _ state: LuaState
  ) -> LuaValue {
    switch result {
    case .success(let response):
      .record([
        ("status", .integer(response.status)), ("headers", HookedHeaders.value(response.headers)),
        ("size", isStreamed ? .nil : .integer(response.body.count)), ("seconds", .number(seconds)),
      ])
    case .failure(let error): .record([("error", state.errorObject(error)), ("seconds", .number(seconds))])
    }
  }
}
