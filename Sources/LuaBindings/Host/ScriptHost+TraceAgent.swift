import Automation
import Core
import HostLoop
import Trace
import UserAgents

extension ScriptHost {
  /// Has the trace told where the agent goes, and which pages it gets.
  func traced(_ request: NavigationRequest, by choice: AgentChoice) -> NavigationRequest {
    guard let trace = configuration.trace else { return request }
    let agent = choice.kind.rawValue
    var traced = request
    let (onNavigate, onPage, otp) = (request.onNavigate, request.onPage, request.otp)
    traced.onNavigate = { url, kind in
      let start = HostLoop.uptime
      let decision = try await onNavigate?(url, kind)
      trace.navigated(
        agent, to: url, kind: kind.rawValue, decision: (decision ?? .show).rawValue, from: start)
      return decision ?? .show
    }
    traced.onPage = { page in
      trace.page(
        agent, page.url, status: page.status, title: page.title,
        fields: page.forms.flatMap { form in
          form.fields.filter { $0.type != "hidden" }.map { (name: $0.name, type: $0.type) }
        }, alerts: page.alerts)
      try await onPage?(page)
    }
    traced.onTitle = { page in
      trace.page(agent, page.url, status: page.status, title: page.title, fields: [], alerts: [])
    }
    if let otp {
      traced.otp = {
        let code = try await otp()
        trace.hide(code)
        return code
      }
    }
    return traced
  }

  /// Goes there; the requests are a browser's.
  func open(_ request: NavigationRequest, by agent: any UserAgent) async throws -> String {
    guard configuration.trace != nil else { return try await agent.open(request) }
    return try await TraceRecorder.asBrowser { try await agent.open(request) }
  }
}
