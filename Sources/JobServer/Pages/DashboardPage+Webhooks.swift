import Jobs
import Schedule

extension DashboardPage {
  /// - Parameter machine: the name of this machine among several, which knows its own requests alone.
  static func webhooks(
    _ hooks: [(job: String, hook: Trigger.Hook)], _ recent: [ReceivedRequest], _ jobs: [JobRecord], machine: String?,
    _ zone: Zone
  ) -> DashboardPage {
    let paths = hooks.map { job, hook in
      """
      <tr><td><code>\(escape(hook.path))</code></td><td><a href="/jobs/\(path(job))">\(escape(job))</a></td>
      <td>\(escape(hook.scheme.rawValue))</td><td>\(hook.secret.map { escape($0) } ?? "none")</td></tr>
      """
    }
    let requests = recent.reversed().map { request in
      """
      <tr><td>\(moment(request.time, zone))</td><td>\(escape(request.method)) \(escape(request.path))</td>
      <td class="number \(request.status < 300 ? "good" : "bad")">\(request.status)</td><td>\(escape(request.answer))</td></tr>
      """
    }
    let none = "<p class=\"quiet\">No request has come since the server started.</p>"
    let received = """
      <div class="wide"><table><tr><th>Time</th><th>Request</th><th class="number">Status</th><th>Answer</th></tr>
      \(requests.joined(separator: "\n"))</table></div>
      """
    let noPaths = "<p class=\"quiet\">No job starts by a webhook.</p>"
    let known = """
      <div class="wide"><table><tr><th>Path</th><th>Job</th><th>Signature</th><th>Secret</th></tr>
      \(paths.joined(separator: "\n"))</table></div>
      """
    return DashboardPage(
      "Webhooks", pause: 5,
      """
      <h1>Webhooks</h1><section class="card"><h2>Paths</h2>\(paths.isEmpty ? noPaths : known)</section>
      \(jobs.map { warnings($0, name: true) }.joined())
      <section class="card"><h2>Last requests\(machine.map { " to the machine \(escape($0))" } ?? "")</h2>\(requests.isEmpty ? none : received)</section>
      """)
  }
}
