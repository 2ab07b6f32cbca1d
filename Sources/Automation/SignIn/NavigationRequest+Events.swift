import Core
import HostLoop
import UserAgents

extension NavigationRequest {
  /// The same request, of which each address, page and one-time code is emitted.
  @HostActor
  func emitting(to events: Events, agent: String) -> NavigationRequest {
    guard events.isWatched(RunEvent.self) else { return self }
    var request = self
    request.onNavigate = { [onNavigate] url, kind in
      let start = HostLoop.uptime
      let decision = try await onNavigate?(url, kind) ?? .show
      events.emit(
        RunEvent.navigated(agent: agent, url: url, kind: kind.rawValue, decision: decision.rawValue, start: start))
      return decision
    }
    request.onPage = { [onPage] page in
      var seen = RunEvent.PageSeen(url: page.url, status: page.status, title: page.title)
      seen.fields = page.forms.flatMap { form in
        form.fields.filter { $0.type != "hidden" }.map { (name: $0.name, type: $0.type) }
      }
      seen.alerts = page.alerts
      events.emit(RunEvent.page(agent: agent, seen))
      try await onPage?(page)
    }
    request.onTitle = { page in
      events.emit(
        RunEvent.page(agent: agent, RunEvent.PageSeen(url: page.url, status: page.status, title: page.title)))
    }
    if let otp {
      request.otp = {
        let code = try await otp()
        events.emit(RunEvent.secret(code))
        return code
      }
    }
    return request
  }
}
