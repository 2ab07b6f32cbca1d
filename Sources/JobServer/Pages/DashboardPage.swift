import Core
import HTTPServer
import HostLoop
import JSON
import JobConditions
import Jobs
import Pages
import Schedule

/// A page about jobs. It works without its script, which only loads the page again while something goes on.
@HostActor
struct DashboardPage {
  /// The main part.
  private let body: HTML
  private let title: String
  /// The navigation.
  private let menu: HTML
  /// The seconds after which the page is loaded again; nil for never.
  private let pause: Int?

  init(_ title: String, pause: Int? = nil, menu: HTML = Self.menu, _ body: (any HTMLContent)?...) {
    self.title = title
    self.pause = pause
    self.menu = menu
    self.body = .list(body.compactMap { $0 }.map { HTML.list($0) })
  }

  /// - Parameters:
  ///   - notice: why the server takes nothing now, or starts nothing.
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

  private static let menu = [
    ("/", "Jobs"), ("/runs", "Runs"), ("/runs?failed=1", "Failures"), ("/webhooks", "Webhooks"),
    ("/accounts", "Accounts"), ("/agents", "Agents"),
  ].map { HTML(.a, with: ["href": $0], $1) }.separated(by: " ")

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
      HTML.list(HTML(.span, class: "person", OutputText($0).text), Self.button("/sign-out", "Sign out", token))
    }
    let machines = isShared ? HTML.list(" ", HTML(.a, with: ["href": "/machines"], "Machines")) : nil
    let problem = notice.map { HTML(.p, class: "problem", with: ["role": "status"], OutputText($0).text) }
    let content = HTML.list(
      HTML(.header, class: "top", HTML(.nav, menu, machines), person),
      HTML(
        .main, with: ["data-pause": pause.map(String.init)], problem, HTML(markup: OutputText(body.text).text)))
    return HTMLPage(
      title: title, body: content, style: Self.style, script: Self.script, formAction: "'self'", connect: "'self'")
  }

  static func problem(_ message: String) -> DashboardPage {
    DashboardPage("Problem", HTML(.h1, message), HTML(.p, HTML(.a, with: ["href": "/"], "All jobs")))
  }

  // MARK: Jobs

  static func job(_ job: JobOverview, _ runs: [RunRecord], _ zone: Zone, _ token: String) -> DashboardPage {
    let needs =
      job.record.needs.isEmpty ? nil : HTML(.p, "Needs ", HTML(.code, job.record.needs.joined(separator: " ")))
    return DashboardPage(
      job.record.name, pause: 3, HTML(.h1, job.record.name, " ", state(job)), summary(job), facts(job), needs,
      buttons(job, token), card("Runs", table(runs, zone, more: "/jobs/\(path(job.record.name))?")))
  }

  static func state(_ job: JobOverview) -> HTML {
    let kind =
      ["ready": "quiet", "running": "good", "paused": "warn", "held": "warn", "broken": "bad"][job.state] ?? ""
    return HTML(.span, class: "badge \(kind)", job.state)
  }

  static func summary(_ job: JobOverview) -> HTML {
    let reason = job.state == "paused" && job.reason == "by hand" ? "paused by hand" : job.reason
    let summary = job.declaration?.summary ?? ""
    return .list(summary.isEmpty ? nil : HTML(.p, summary), reason.map(problem), warnings(job.record))
  }

  private static func problem(_ text: String) -> HTML { HTML(.p, class: "problem", text) }

  /// - Parameter name: true for a page of several jobs.
  static func warnings(_ job: JobRecord, name: Bool = false) -> HTML {
    let head = name ? "the job \(job.name): " : ""
    return .list(job.warnings.map { problem(head + $0) })
  }

  static func facts(_ job: JobOverview) -> HTML {
    var facts = job.triggers.map { HTML(.b, $0) }
    if let next = job.next {
      facts.append(.list("next ", HTML(.b, "\(job.zone.civil(at: next).text) \(job.zone.name)")))
    }
    if let last = job.last { facts.append(.list("last ", result(last), " ", distance(last.ended ?? last.created))) }
    return factList(facts)
  }

  static func factList(_ facts: [HTML]) -> HTML { HTML(.ul, class: "facts", facts.map { HTML(.li, $0) }) }

  /// The last results, the oldest first.
  static func strip(_ job: JobOverview) -> HTML {
    let cells = job.runs.reversed().map { run in
      HTML(
        .a, class: kind(run.state), with: ["href": "/runs/\(run.id)", "title": "run \(run.id): \(run.state.rawValue)"],
        HTML(.span, run.state.rawValue))
    }
    return HTML(.div, class: "strip", cells)
  }

  static func buttons(_ job: JobOverview, _ token: String) -> HTML {
    let name = path(job.record.name)
    let pause = job.record.pause == nil ? "pause" : "resume"
    let canRun = job.trouble == nil && job.record.missing.isEmpty
    return HTML(
      .div, class: "buttons", canRun ? button("/jobs/\(name)/run", "Run now", token) : nil,
      button("/jobs/\(name)/\(pause)", pause == "pause" ? "Pause" : "Resume", token))
  }

  /// - Parameter fields: more than the token that the form sends.
  static func button(
    _ action: String, _ label: String, _ token: String, _ fields: [(String, String)] = []
  ) -> HTML {
    let hidden = ([("token", token)] + fields).map {
      HTML(.input, with: ["type": "hidden", "name": $0.0, "value": $0.1])
    }
    return HTML(
      .form, with: ["method": "post", "action": action], HTML.list(hidden), HTML(.button, class: "do", label))
  }

  // MARK: Runs

  static func runs(_ runs: [RunRecord], _ zone: Zone) -> DashboardPage {
    DashboardPage(
      "Runs", pause: 5, HTML(.h1, "Runs"), card(nil, table(runs, zone, more: "/runs?", job: true)))
  }

  static func run(_ details: RunDetails, _ zone: Zone, _ token: String) -> DashboardPage {
    let run = details.run
    var rows: [(String, any HTMLContent)] = [("Job", link(toJob: run.job)), ("Event", run.kind)]
    for (name, time) in [
      ("Due", run.due), ("Created", run.created), ("Started", run.started), ("Ended", run.ended), ("Goes on", run.wake),
    ] {
      if let time { rows.append((name, zone.civil(at: time).text)) }
    }
    if let machine = run.machine { rows.append(("Machine", machine)) }
    if run.attempt > 1 { rows.append(("Attempts", "\(run.attempt)")) }
    if run.count > 1 { rows.append(("Due times", "\(run.count)")) }
    if let reason = run.reason { rows.append(("Reason", reason)) }
    let facts = HTML(.table, class: "facts-table", rows.map { HTML(.tr, HTML(.th, $0.0), HTML(.td, $0.1)) })
    let action =
      run.state.isOpen
      ? button("/runs/\(run.id)/cancel", "Cancel", token) : button("/runs/\(run.id)/retry", "Run again", token)
    return DashboardPage(
      "Run \(run.id) of \(run.job)", pause: run.state.isOpen ? 2 : nil,
      HTML(.h1, "Run \(run.id) ", HTML(.span, class: "badge \(kind(run.state))", run.state.rawValue)), progress(run),
      run.error.map(problem), approval(details, token), HTML(.div, class: "buttons", action), card(nil, facts),
      steps(details, zone), attachments(details).map { card("Attachments", $0) }, card("Log", log(details)),
      card("Event", HTML(.pre, run.event.encoded())))
  }

  private static func progress(_ run: RunRecord) -> HTML? {
    guard let progress = run.progress, let done = number(progress["done"]) else { return nil }
    let total = number(progress["total"])
    let bar = total.map { HTML(.progress, with: ["value": "\(done)", "max": "\($0)"]) }
    return HTML(
      .p, bar, " \(Int(done))\(total.map { " of \(Int($0))" } ?? "") \(progress["text"]?.string ?? "")")
  }

  private static func problem(_ error: RunError) -> HTML {
    HTML(
      .div, class: "problem", error.place.map { HTML.list(HTML(.b, $0), " ") }, error.message,
      error.hint.map { HTML.list(HTML(.br), HTML(.span, class: "quiet", $0)) },
      error.traceback.map { HTML(.details, HTML(.summary, "Traceback"), HTML(.pre, $0)) })
  }

  private static func steps(_ details: RunDetails, _ zone: Zone) -> HTML? {
    guard !details.steps.isEmpty else { return nil }
    let rows = details.steps.map {
      HTML(
        .tr, HTML(.td, "\($0.name)\($0.number > 1 ? " \($0.number)" : "")"),
        HTML(.td, zone.civil(at: $0.ended).text), HTML(.td, HTML(.code, String($0.result.encoded().prefix(400)))))
    }
    return card("Steps", HTML(.table, head(["Step", "Ended", "Result"]), rows))
  }

  static func attachments(_ details: RunDetails) -> HTML? {
    guard !details.attachments.isEmpty else { return nil }
    let items = details.attachments.enumerated().map {
      HTML(.li, HTML(.a, with: ["href": "/runs/\(details.run.id)/files/\($0.offset)"], $0.element.title))
    }
    return HTML(.ul, items)
  }

  private static let longestLog = 256 << 10

  private static func log(_ details: RunDetails) -> HTML {
    let text = details.log.text
    if let problem = details.log.problem(hint: nil) { return quiet(problem.message) }
    guard !text.isEmpty else { return quiet("The run has written nothing.") }
    let cut = text.utf8.count > longestLog ? quiet("The beginning is left out.") : nil
    return .list(cut, HTML(.pre, id: "log", String(decoding: text.utf8.suffix(longestLog), as: UTF8.self)))
  }

  private static func table(_ runs: [RunRecord], _ zone: Zone, more: String, job: Bool = false) -> HTML {
    guard !runs.isEmpty else { return quiet("There are no runs.") }
    // Only where there are several.
    let hasMachines = runs.contains { $0.machine != nil }
    let rows = runs.map { run in
      let times = run.count > 1 ? HTML.list(" ", HTML(.span, class: "quiet", "\(run.count) times")) : nil
      return HTML(
        .tr, HTML(.td, class: "number", HTML(.a, with: ["href": "/runs/\(run.id)"], "\(run.id)")),
        job ? HTML(.td, link(toJob: run.job)) : nil, HTML(.td, result(run)), HTML(.td, run.kind),
        HTML(.td, moment(run.due ?? run.created, zone), times), HTML(.td, run.took),
        hasMachines ? HTML(.td, run.machine) : nil, HTML(.td, run.error?.message ?? run.reason))
    }
    let names =
      ["Run"] + (job ? ["Job"] : []) + ["Result", "Event", "Due or created", "Took"]
      + (hasMachines ? ["Machine"] : []) + ["Reason"]
    let next =
      runs.count >= 50
      ? HTML(.p, HTML(.a, with: ["href": "\(more)before=\(runs.last?.id ?? 0)"], "Older")) : nil
    return .list(wideTable(class: "runs", names, numbers: ["Run"], rows), next)
  }

  // MARK: Pieces

  /// A part of a page with a title.
  static func card(_ title: String?, _ content: HTML) -> HTML {
    HTML(.section, class: "card", title.map { HTML(.h2, $0) }, content)
  }

  static func quiet(_ content: (any HTMLContent)...) -> HTML {
    HTML(.p, class: "quiet", content.map { HTML.list($0) })
  }

  /// A table that scrolls by itself where it is wider than the page.
  static func wideTable(
    class: String? = nil, _ names: [String], numbers: Set<String> = [], _ rows: [HTML]
  ) -> HTML {
    HTML(.div, class: "wide", HTML(.table, class: `class`, head(names, numbers: numbers), rows.separated(by: "\n")))
  }

  private static func head(_ names: [String], numbers: Set<String> = []) -> HTML {
    HTML(.tr, names.map { HTML(.th, class: numbers.contains($0) ? "number" : nil, $0) })
  }

  static func link(toJob name: String) -> HTML { HTML(.a, with: ["href": "/jobs/\(path(name))"], name) }

  // MARK: Texts

  private static func result(_ run: RunRecord) -> HTML { HTML(.span, class: kind(run.state), run.state.rawValue) }

  /// A time whose date and whose clock are not broken, each.
  static func moment(_ time: Int64, _ zone: Zone) -> HTML {
    zone.civil(at: time).text.split(separator: " ").map { HTML(.span, class: "date", String($0)) }.separated(by: " ")
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

  static func path(_ name: String) -> String { URLEncodedForm.percentEncode(name) }
}
