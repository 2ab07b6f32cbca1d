import Core
import HTTPServer
import HostLoop
import JSON
import Jobs
import PageStyle
import Schedule

/// A page about jobs. It works without its script, which only loads the page again while something goes on.
@HostActor
struct DashboardPage {
  /// HTML of the main part.
  private let body: String
  private let title: String
  /// HTML of the navigation.
  private let menu: String
  /// The seconds after which the page is loaded again; nil for never.
  private let pause: Int?

  init(_ title: String, pause: Int? = nil, menu: String = Self.menu, _ body: String) {
    self.title = title
    self.pause = pause
    self.menu = menu
    self.body = body
  }

  /// - Parameters:
  ///   - notice: why the server takes nothing now.
  ///   - name: that of the person who has signed in; nil where nobody signs in.
  ///   - token: for the form that signs out.
  ///   - isShared: true for a page of one of several machines.
  func response(
    _ status: Int = 200, _ headers: [(String, String)] = [], notice: String? = nil, name: String? = nil,
    token: String = "",
    isShared: Bool = false
  ) -> ServerResponse {
    Self.response(page(notice, name, token, isShared), status, headers)
  }

  /// The page, whose header allows only the style and the script that are in it.
  static func response(
    _ page: HTMLPage, _ status: Int = 200, _ headers: [(String, String)] = []
  ) -> ServerResponse {
    let policy = ("Content-Security-Policy", "\(page.policy); frame-ancestors 'none'")
    return ServerResponse(
      status: status, headers: Self.headers + [policy] + headers, text: page.text, type: "text/html; charset=utf-8")
  }

  private static let menu = """
    <a href="/">Jobs</a> <a href="/runs">Runs</a> <a href="/runs?failed=1">Failures</a> <a href="/webhooks">Webhooks</a> \
    <a href="/accounts">Accounts</a>
    """

  private static let headers = [
    ("Cache-Control", "no-store"), ("X-Frame-Options", "DENY"), ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
  ]

  /// The policy of an answer that is no page.
  static let noPage = [
    ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
  ]

  private func page(_ notice: String?, _ name: String?, _ token: String, _ isShared: Bool) -> HTMLPage {
    let person = name.map {
      "<span class=\"person\">\(Self.escape(OutputText($0).text))</span>\(Self.button("/sign-out", "Sign out", token))"
    }
    let body = """
      <header class="top"><nav>\(menu)\(isShared ? " <a href=\"/machines\">Machines</a>" : "")</nav>\(person ?? "")</header>
      <main\(pause.map { " data-pause=\"\($0)\"" } ?? "")>\(notice.map { "<p class=\"problem\" role=\"status\">\(Self.escape(OutputText($0).text))</p>" } ?? "")\(OutputText(body).text)</main>
      """
    return HTMLPage(
      title: title, body: body, style: Self.style, script: Self.script, formAction: "'self'", connect: "'self'"
    )
  }

  static func problem(_ message: String) -> DashboardPage {
    DashboardPage("Problem", "<h1>\(HTMLText.escape(message))</h1><p><a href=\"/\">All jobs</a></p>")
  }

  // MARK: Jobs

  static func job(_ job: JobOverview, _ runs: [RunRecord], _ zone: Zone, _ token: String) -> DashboardPage {
    let needs =
      job.record.needs.isEmpty
      ? "" : "<p>Needs <code>\(escape(job.record.needs.joined(separator: " ")))</code></p>"
    return DashboardPage(
      job.record.name, pause: 3,
      """
      <h1>\(escape(job.record.name)) \(state(job))</h1>\(summary(job))
      <ul class="facts">\(facts(job))</ul>\(needs)\(buttons(job, token))
      <section class="card"><h2>Runs</h2>\(table(runs, zone, more: "/jobs/\(path(job.record.name))?"))</section>
      """)
  }

  static func state(_ job: JobOverview) -> String {
    let kind =
      ["ready": "quiet", "running": "good", "paused": "warn", "held": "warn", "broken": "bad"][job.state] ?? ""
    return "<span class=\"badge \(kind)\">\(job.state)</span>"
  }

  static func summary(_ job: JobOverview) -> String {
    let reason =
      (job.state == "paused" ? job.reason.map { $0 == "by hand" ? "paused by hand" : $0 } : job.reason).map {
        "<p class=\"problem\">\(escape($0))</p>"
      } ?? ""
    let summary = job.declaration?.summary ?? ""
    return (summary.isEmpty ? "" : "<p>\(escape(summary))</p>") + reason + warnings(job.record)
  }

  /// - Parameter name: true for a page of several jobs.
  static func warnings(_ job: JobRecord, name: Bool = false) -> String {
    let head = name ? "the job \(job.name): " : ""
    return job.warnings.map { "<p class=\"problem\">\(escape(head + $0))</p>" }.joined()
  }

  static func facts(_ job: JobOverview) -> String {
    var facts = job.triggers.map { "<b>\(escape($0))</b>" }
    if let next = job.next {
      facts.append("next <b>\(escape(job.zone.civil(at: next).text)) \(escape(job.zone.name))</b>")
    }
    if let last = job.last { facts.append("last \(result(last)) \(escape(distance(last.ended ?? last.created)))") }
    return facts.map { "<li>\($0)</li>" }.joined()
  }

  /// The last results, the oldest first.
  static func strip(_ job: JobOverview) -> String {
    let cells = job.runs.reversed().map { run in
      "<a href=\"/runs/\(run.id)\" class=\"\(kind(run.state))\" title=\"run \(run.id): \(run.state.rawValue)\">"
        + "<span>\(run.state.rawValue)</span></a>"
    }
    return "<div class=\"strip\">\(cells.joined())</div>"
  }

  static func buttons(_ job: JobOverview, _ token: String) -> String {
    let name = path(job.record.name)
    let pause = job.record.pause == nil ? "pause" : "resume"
    let run = job.trouble == nil && job.record.missing.isEmpty ? button("/jobs/\(name)/run", "Run now", token) : ""
    return
      "<div class=\"buttons\">\(run)\(button("/jobs/\(name)/\(pause)", pause == "pause" ? "Pause" : "Resume", token))</div>"
  }

  private static func button(_ action: String, _ label: String, _ token: String) -> String {
    """
    <form method="post" action="\(action)"><input type="hidden" name="token" value="\(token)">\
    <button class="do">\(label)</button></form>
    """
  }

  // MARK: Runs

  static func runs(_ runs: [RunRecord], _ zone: Zone) -> DashboardPage {
    DashboardPage(
      "Runs", pause: 5, "<h1>Runs</h1><section class=\"card\">\(table(runs, zone, more: "/runs?", job: true))</section>"
    )
  }

  static func run(_ details: RunDetails, _ zone: Zone, _ token: String) -> DashboardPage {
    let run = details.run
    var rows: [(String, String)] = [
      ("Job", "<a href=\"/jobs/\(path(run.job))\">\(escape(run.job))</a>"), ("Event", escape(run.kind)),
    ]
    for (name, time) in [
      ("Due", run.due), ("Created", run.created), ("Started", run.started), ("Ended", run.ended), ("Goes on", run.wake),
    ] {
      if let time { rows.append((name, escape(zone.civil(at: time).text))) }
    }
    if let machine = run.machine { rows.append(("Machine", escape(machine))) }
    if run.attempt > 1 { rows.append(("Attempts", "\(run.attempt)")) }
    if run.count > 1 { rows.append(("Due times", "\(run.count)")) }
    if let reason = run.reason { rows.append(("Reason", escape(reason))) }
    let facts = rows.map { "<tr><th>\($0.0)</th><td>\($0.1)</td></tr>" }.joined()
    let action =
      run.state.isOpen
      ? button("/runs/\(run.id)/cancel", "Cancel", token) : button("/runs/\(run.id)/retry", "Run again", token)
    return DashboardPage(
      "Run \(run.id) of \(run.job)", pause: run.state.isOpen ? 2 : nil,
      """
      <h1>Run \(run.id) <span class="badge \(kind(run.state))">\(run.state.rawValue)</span></h1>\(progress(run))\(problem(run))
      <div class="buttons">\(action)</div>
      <section class="card"><table class="facts-table">\(facts)</table></section>\(steps(details, zone))\(files(details))
      <section class="card"><h2>Log</h2>\(log(details))</section>
      <section class="card"><h2>Event</h2><pre>\(escape(run.event.encoded()))</pre></section>
      """)
  }

  private static func progress(_ run: RunRecord) -> String {
    guard let progress = run.progress, let done = number(progress["done"]) else { return "" }
    let total = number(progress["total"])
    let text = progress["text"]?.string ?? ""
    let bar = total.map { "<progress value=\"\(done)\" max=\"\($0)\"></progress>" } ?? ""
    return "<p>\(bar) \(Int(done))\(total.map { " of \(Int($0))" } ?? "") \(escape(text))</p>"
  }

  private static func problem(_ run: RunRecord) -> String {
    guard let error = run.error else { return "" }
    let place = error.place.map { "<b>\(escape($0))</b> " } ?? ""
    let hint = error.hint.map { "<br><span class=\"quiet\">\(escape($0))</span>" } ?? ""
    let trace = error.traceback.map { "<details><summary>Traceback</summary><pre>\(escape($0))</pre></details>" } ?? ""
    return "<div class=\"problem\">\(place)\(escape(error.message))\(hint)\(trace)</div>"
  }

  private static func steps(_ details: RunDetails, _ zone: Zone) -> String {
    guard !details.steps.isEmpty else { return "" }
    let rows = details.steps.map {
      "<tr><td>\(escape($0.name))\($0.number > 1 ? " \($0.number)" : "")</td><td>\(escape(zone.civil(at: $0.ended).text))</td>"
        + "<td><code>\(escape(String($0.result.encoded().prefix(400))))</code></td></tr>"
    }
    return """
      <section class="card"><h2>Steps</h2><table><tr><th>Step</th><th>Ended</th><th>Result</th></tr>\(rows.joined())</table></section>
      """
  }

  private static func files(_ details: RunDetails) -> String {
    guard !details.attachments.isEmpty else { return "" }
    let items = details.attachments.enumerated().map {
      "<li><a href=\"/runs/\(details.run.id)/files/\($0.offset)\">\(escape($0.element.title))</a></li>"
    }
    return "<section class=\"card\"><h2>Attachments</h2><ul>\(items.joined())</ul></section>"
  }

  private static let longestLog = 256 << 10

  private static func log(_ details: RunDetails) -> String {
    let text = details.log.text
    if let problem = details.log.problem(hint: nil) { return "<p class=\"quiet\">\(escape(problem.message))</p>" }
    guard !text.isEmpty else { return "<p class=\"quiet\">The run has written nothing.</p>" }
    let cut = text.utf8.count > longestLog ? "<p class=\"quiet\">The beginning is left out.</p>" : ""
    return "\(cut)<pre id=\"log\">\(escape(String(decoding: text.utf8.suffix(longestLog), as: UTF8.self)))</pre>"
  }

  private static func table(_ runs: [RunRecord], _ zone: Zone, more: String, job: Bool = false) -> String {
    guard !runs.isEmpty else { return "<p class=\"quiet\">There are no runs.</p>" }
    // Only where there are several.
    let hasMachines = runs.contains { $0.machine != nil }
    let rows = runs.map { run in
      let times = run.count > 1 ? " <span class=\"quiet\">\(run.count) times</span>" : ""
      return """
        <tr><td class="number"><a href="/runs/\(run.id)">\(run.id)</a></td>\(job ? "<td><a href=\"/jobs/\(path(run.job))\">\(escape(run.job))</a></td>" : "")
        <td>\(result(run))</td><td>\(escape(run.kind))</td><td>\(moment(run.due ?? run.created, zone))\(times)</td>
        <td>\(escape(run.took ?? ""))</td>\(hasMachines ? "<td>\(escape(run.machine ?? ""))</td>" : "")<td>\(escape(run.error?.message ?? run.reason ?? ""))</td></tr>
        """
    }
    let next = runs.count >= 50 ? "<p><a href=\"\(more)before=\(runs.last?.id ?? 0)\">Older</a></p>" : ""
    return """
      <div class="wide"><table class="runs"><tr><th class="number">Run</th>\(job ? "<th>Job</th>" : "")<th>Result</th><th>Event</th>
      <th>Due or created</th><th>Took</th>\(hasMachines ? "<th>Machine</th>" : "")<th>Reason</th></tr>\(rows.joined(separator: "\n"))</table></div>\(next)
      """
  }

  // MARK: Texts

  private static func result(_ run: RunRecord) -> String {
    "<span class=\"\(kind(run.state))\">\(run.state.rawValue)</span>"
  }

  /// A time whose date and whose clock are not broken, each.
  static func moment(_ time: Int64, _ zone: Zone) -> String {
    zone.civil(at: time).text.split(separator: " ").map { "<span class=\"date\">\(escape(String($0)))</span>" }
      .joined(separator: " ")
  }

  private static func kind(_ state: RunState) -> String {
    switch state {
    case .ok: "good"
    case .failed, .timedOut, .interrupted: "bad"
    case .retry, .canceled: "warn"
    case .started: "now"
    case .due, .asleep, .waiting, .skipped: "quiet"
    }
  }

  private static func distance(_ time: Int64) -> String {
    UnixTime(Double(time) / 1000).distance(from: UnixTime(Double(MachineClock().now.wall) / 1000))
  }

  static func escape(_ text: String) -> String { HTMLText.escape(text) }
  static func path(_ name: String) -> String { URLEncodedForm.percentEncode(name) }
}
