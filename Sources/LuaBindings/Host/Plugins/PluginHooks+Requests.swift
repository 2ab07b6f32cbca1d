import Core
import HTTPClient
import HostLoop
import Lua

extension PluginHooks {
  /// Calls the hooks of a request: of the host's, and of the script's.
  func call(_ outgoing: OutgoingRequest) async {
    guard !Hook.isRunning else { return }
    // One table for both hooks, so that a plugin can keep in it something for the end.
    let table = state.makeTable()
    table["method"] = .string(outgoing.request.method)
    table["url"] = .string(HookedHeaders.shown(url: outgoing.request.url))
    table["headers"] = HookedHeaders.value(outgoing.headers)
    table["size"] = .integer(outgoing.request.body?.count ?? 0)
    for hook in hooks[.beforeRequest] ?? [] {
      let headers = outgoing.headers
      // A canceled hook ends like one without a result: the exchange sees for itself that its task was canceled.
      guard
        let changed = try? await hook.call([.table(table)], { try HookedHeaders.changed(headers, by: $0) }),
        let changed, changed != headers
      else { continue }
      outgoing.headers = changed
      table["headers"] = HookedHeaders.value(changed)
    }
    guard let after = hooks[.afterResponse] else { return }
    let isStreamed = outgoing.request.onBody != nil
    outgoing.ends.append { [state] result, seconds in
      let answer = Self.value(result, seconds, isStreamed: isStreamed, state)
      for hook in after { try? await hook.call([.table(table), answer]) }
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
