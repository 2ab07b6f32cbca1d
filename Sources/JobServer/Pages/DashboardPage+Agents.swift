import AgentRecords
import Core
import JSON
import Pages
import Schedule

extension DashboardPage {
  /// - Parameter token: for the forms that answer; nil for a visitor who may not answer.
  static func agents(
    _ waiting: [ApprovalRequest], _ calls: [CallRecord], _ zone: Zone, _ token: String?
  ) -> DashboardPage {
    DashboardPage(
      "Agents", pause: 3, HTML(.h1, "Agents"),
      card(
        "Changes that wait for an approval",
        waiting.isEmpty ? quiet("No change waits.") : .list(waiting.map { change($0, zone, token) })),
      card("Last calls", calls.isEmpty ? quiet("No agent has made a call yet.") : table(calls, zone)))
  }

  private static func change(_ request: ApprovalRequest, _ zone: Zone, _ token: String?) -> HTML {
    let answers: HTML
    if let token {
      let buttons = [("approve", "Approve"), ("decline", "Decline")].map { action, label in
        button("/agents/\(request.id)/\(action)", label, token, [("digest", request.digest)])
      }
      answers = HTML(.div, class: "buttons", HTML.list(buttons))
    } else {
      answers = quiet(
        "Without a sign-in, this page takes no approval. In a terminal: ",
        HTML(.code, "b2c-run mcp approve \(request.shortDigest)"))
    }
    return .list(
      HTML(.h3, request.title.displayable),
      HTML(
        .p, "Asked by \(request.client.displayable) at ", moment(Int64(request.created) * 1000, zone), ", digest ",
        HTML(.code, request.digest)),
      HTML(.pre, request.text.displayableLines), answers)
  }

  private static func table(_ calls: [CallRecord], _ zone: Zone) -> HTML {
    let rows = calls.map { call in
      HTML(
        .tr, HTML(.td, moment(Int64(call.time.seconds * 1000), zone)), HTML(.td, call.client.displayable),
        HTML(.td, call.person?.displayable), HTML(.td, call.tool.displayable), HTML(.td, call.outcome),
        HTML(.td, call.approvedBy?.displayable),
        HTML(.td, (call.reason ?? call.arguments.encoded()).displayable.clipped(to: 200)))
    }
    return wideTable(["Time", "Client", "Person", "Tool", "Outcome", "Approved by", "What"], rows)
  }
}
