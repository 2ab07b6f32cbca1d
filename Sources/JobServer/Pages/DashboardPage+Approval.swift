import JSON
import Jobs
import Pages

/// The approval for which a run waits.
extension DashboardPage {
  /// The question of the run, its attachments and the buttons; nil for a run that asks nothing.
  static func approval(_ details: RunDetails, _ token: String) -> HTML? {
    let (run, waits) = (details.run, details.run.event["waits"])
    guard run.state == .waiting, case .approval(let text)? = RunWait(waits) else { return nil }
    // Whoever answers has seen this question, and no later one.
    let seen = waits?["number"]?.lenientInteger.map { [("wait", "\($0)")] } ?? []
    let buttons = [("approve", "Approve"), ("decline", "Decline")].map { action, label in
      button("/runs/\(run.id)/\(action)", label, token, seen)
    }
    return card(
      "Waits for an approval",
      HTML.list(HTML(.p, text), attachments(details), HTML(.div, class: "buttons", HTML.list(buttons))))
  }

  /// The number of the wait whose question a person has seen, in the form of a button.
  static func seenApproval(in form: [(String, String)]) -> Int64? {
    form.first { $0.0 == "wait" }.map { Int64($0.1) ?? 0 }
  }
}
