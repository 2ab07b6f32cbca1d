import Jobs
import Pages
import Schedule

extension DashboardPage {
  /// - Parameter machine: the name of this machine among several, which knows its own requests alone.
  static func webhooks(
    _ hooks: [(job: String, hook: Trigger.Hook)], _ recent: [ReceivedRequest], _ jobs: [JobRecord], machine: String?,
    _ zone: Zone
  ) -> DashboardPage {
    let paths = hooks.map { job, hook in
      HTML(
        .tr, HTML(.td, HTML(.code, hook.path)), HTML(.td, link(toJob: job)), HTML(.td, hook.scheme.rawValue),
        HTML(.td, hook.secret ?? "none"))
    }
    let requests = recent.reversed().map { request in
      HTML(
        .tr, HTML(.td, moment(request.time, zone)), HTML(.td, "\(request.method) \(request.path)"),
        HTML(.td, class: "number \(request.status < 300 ? "good" : "bad")", "\(request.status)"),
        HTML(.td, request.answer))
    }
    let known = wideTable(["Path", "Job", "Signature", "Secret"], paths)
    let received = wideTable(["Time", "Request", "Status", "Answer"], numbers: ["Status"], requests)
    return DashboardPage(
      "Webhooks", pause: 5, HTML(.h1, "Webhooks"),
      card("Paths", paths.isEmpty ? quiet("No job starts by a webhook.") : known),
      jobs.map { warnings($0, name: true) },
      card(
        "Last requests\(machine.map { " to the machine \($0)" } ?? "")",
        requests.isEmpty ? quiet("No request has come since the server started.") : received))
  }
}
