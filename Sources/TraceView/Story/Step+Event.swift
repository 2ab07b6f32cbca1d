import Core
import JSON
import Pages
import Trace

extension Step {
  /// The steps of an event; none for an event that is shown otherwise.
  static func steps(of event: TraceEvent) -> [Step] {
    switch event.type {
    case "exchange": return [Step(exchange: event)]
    case "exchanges": return steps(exchanges: event)
    case "navigation": return [navigation(event)]
    case "page": return [page(event)]
    case "callback": return [callback(event)]
    case "sign_in": return [signIn(event)]
    case "refresh": return [refresh(event)]
    case "import": return [importPhase(event)].compactMap(\.self)
    case "validation": return [validation(event)]
    case "log": return [log(event)]
    case "error":
      return [Step(event, .note, .script, .script, "the script ends with an error", tone: .bad)]
    // Tokens have a part of the page to themselves. Unknown events come from a newer program.
    default: return []
    }
  }

  init(_ event: TraceEvent, _ kind: Kind, _ from: Party, _ to: Party, _ title: String, tone: Tone = .plain) {
    self.init(kind: kind, events: [event.id], at: event.at, took: event.took, from: from, to: to, title: title.oneLine)
    failure = event.error
    self.tone = failure == nil ? tone : .bad
    line = event.line
  }

  private static func navigation(_ event: TraceEvent) -> Step {
    let address = WebAddress(event.text("url") ?? "")
    // The name of a page is the same whether the settings have `loginURL` or not.
    let page = address.path.split(separator: "/").last.map(String.init) ?? address.base
    var step =
      switch event.text("kind") ?? "other" {
      case "redirect": Step(event, .message, .browser, .host, "redirect: \(answerFields(address))")
      case "login", "other": Step(event, .note, .browser, .browser, "\(page) page", tone: .quiet)
      case "authorize": Step(event, .message, .host, .browser, "authorize page")
      default: Step(event, .message, .host, .browser, "\(page) page")
      }
    if let decision = event.text("decision"), decision != "show" { step.title += " (\(decision))" }
    return step
  }

  /// The names of the parameters that the authority answered with.
  private static func answerFields(_ address: WebAddress) -> String {
    let names = address.parameters.map(\.name)
    return names.isEmpty ? "no parameters" : names.joined(separator: ", ")
  }

  private static func page(_ event: TraceEvent) -> Step {
    let alerts = event.json["alerts"]?.array?.compactMap(\.string) ?? []
    // An answer that is no page of its own has no title.
    let title = event.text("title").flatMap { $0.isEmpty ? nil : " “\($0)”" } ?? ""
    let status = event.json.integer("status").flatMap { $0 >= 400 ? ", \($0)" : nil } ?? ""
    let text = "page\(title)\(status)" + (alerts.isEmpty ? "" : ": \(alerts.joined(separator: " "))")
    return Step(event, .note, .browser, .browser, text, tone: alerts.isEmpty ? .quiet : .warn)
  }

  private static func callback(_ event: TraceEvent) -> Step {
    let name = event.text("name") ?? "callback"
    var step = Step(event, .exchange, .host, .script, event.text("subject").map { "\(name)(\($0))" } ?? name)
    step.answer = event.text("answer") ?? ""
    step.fold = "callback \(name) \(step.failure?.code ?? "")"
    return step
  }

  private static func signIn(_ event: TraceEvent) -> Step {
    let failed = event.text("outcome") == "failed"
    let who = event.text("account").map { ": \($0)" } ?? ""
    let title = event.error?.code == "canceled" ? "sign-in canceled" : "sign-in failed"
    var step = Step(event, .message, .host, .script, failed ? title : "signed in\(who)", tone: failed ? .bad : .good)
    step.standAtItsEnd()
    return step
  }

  private static func refresh(_ event: TraceEvent) -> Step {
    let failed = event.text("outcome") == "failed"
    var step = Step(
      event, .note, .host, .host,
      "tokens of \(event.text("account") ?? "the account") \(failed ? "not renewed" : "renewed")",
      tone: failed ? .bad : .good)
    step.standAtItsEnd()
    return step
  }

  private static func validation(_ event: TraceEvent) -> Step {
    let passed = (event.json["checks"]?.array ?? []).count { $0["result"]?.string == "passed" }
    let token = event.text("token") ?? "ID token"
    let isValid = event.json["valid"]?.bool == true
    var step = Step(
      event, .note, .host, .host,
      isValid ? "\(token) is valid: \(Amount.count(passed, "check"))" : "\(token) is not valid",
      tone: isValid ? .good : .bad)
    step.standAtItsEnd()
    return step
  }

  private static func log(_ event: TraceEvent) -> Step {
    let level = event.text("level") ?? "info"
    let tone: Tone = level == "error" ? .bad : level == "warn" ? .warn : .quiet
    let fields = (event.json["fields"]?.object ?? [:]).sorted { $0.key < $1.key }
    let texts = [event.text("message") ?? ""] + fields.map { "\($0.key)=\($0.value.plainText)" }
    var step = Step(event, .note, .script, .script, "\(level): \(texts.joined(separator: "  "))", tone: tone)
    step.fold = "log \(level) \(event.line ?? "")"
    return step
  }

  // MARK: Imports

  /// Nil for an unknown phase.
  private static func importPhase(_ event: TraceEvent) -> Step? {
    guard let phase = event.text("phase"), let (title, tone) = description(phase, event) else { return nil }
    var step = Step(event, .note, .host, .host, "import: \(title)", tone: tone)
    if phase == "end", let took = event.took {
      step.title += " in \(Amount.duration(took))"
      step.standAtItsEnd()
    }
    if ["concurrency", "retry", "row failed", "waiting"].contains(phase) {
      step.fold = "import \(phase) \(step.failure?.code ?? "")"
    }
    return step
  }

  private static func description(_ phase: String, _ event: TraceEvent) -> (String, Tone)? {
    let row = event.json.integer("row") ?? 0
    switch phase {
    case "begin": return (event.text("source") ?? "begins", .plain)
    case "reading known rows": return ("reading what is done", .quiet)
    case "sending", "settling": return (phase, .quiet)
    case "draining": return ("waiting for the last answers", .quiet)
    case "waiting": return ("waits, \(event.text("because") ?? "for a while")", .warn)
    case "concurrency": return ("up to \(Amount.count(event.json.integer("limit") ?? 0, "request")) at once", .quiet)
    case "retry": return ("row \(row) once more", .warn)
    case "row failed":
      let line = event.json.integer("sourceLine").map { " (line \($0))" } ?? ""
      return ("row \(row)\(line) failed", .bad)
    case "end":
      let counts = ["added", "skipped", "failed", "unsettled", "retried"].compactMap { name in
        event.json.integer(name).flatMap { $0 > 0 ? "\(Amount.count($0)) \(name)" : nil }
      }
      let failed = event.json.integer("failed") ?? 0
      return ("\(event.text("ending") ?? "ended"): \(counts.joined(separator: ", "))", failed > 0 ? .warn : .good)
    default: return nil
    }
  }

  // MARK: Requests

  /// The parameters that make a request of another kind (RFC 9101, RFC 9396, RFC 8707).
  private static let extras = [
    (parameter: "request", words: "request object"),
    (parameter: "authorization_details", words: "authorization details"),
    (parameter: "resource", words: "resource"),
  ]

  static let phaseNames = ["blocked", "dns", "connect", "tls", "send", "wait", "receive"]

  /// The words for the grants whose names are URNs.
  private static let grantWords = [
    "urn:ietf:params:oauth:grant-type:device_code": "device code",
    "urn:ietf:params:oauth:grant-type:jwt-bearer": "assertion",
    "urn:ietf:params:oauth:grant-type:token-exchange": "token exchange",
    "urn:openid:params:grant-type:ciba": "backchannel request",
  ]

  init(exchange event: TraceEvent) {
    let request = event.json["request"] ?? .null
    let method = request["method"]?.string ?? "?"
    let to = Party(event.text("to"))
    let form = request["body"]?["form"]?.pairs ?? []
    let grant = form.first { $0.name == "grant_type" }?.value
    let names = Set(form.map(\.name) + Facts.query(request["url"]?.string ?? "").map(\.name))
    let extras = Self.extras.filter { names.contains($0.parameter) }.map(\.words)
    let status = event.json["response"]?.integer("status")
    let title = "\(method) \(Self.place(request["url"]?.string ?? "", to))"
    self.init(
      kind: .exchange, events: [event.id], at: event.at, took: event.took, from: Party(event.text("from")), to: to,
      title: ([title] + [grant.map { Self.grantWords[$0] ?? $0 }].compactMap(\.self) + extras).joined(separator: " · "))
    failure = event.error
    line = event.line
    answer = status.map(String.init) ?? "no answer"
    tone = failure != nil || (status ?? 400) >= 400 ? .bad : .plain
    let retry = event.json.integer("retry")
    fold =
      "\(from) \(to) \(method) \(Self.pattern(request["url"]?.string ?? "")) \(grant ?? "") \(status ?? 0) \(retry ?? 0)"
    let timings = event.json["timings"] ?? .null
    phases = Self.phaseNames.compactMap { name in timings.integer(name).map { (name, $0) } }
    spans = [(event.at, event.took ?? 0)]
    if let retry { self.title += " · again (\(retry))" }
  }

  /// - Parameter event: `exchanges`; a step for each status.
  static func steps(exchanges event: TraceEvent) -> [Step] {
    let request = event.json["request"] ?? .null
    let url = request["url"]?.string ?? ""
    let method = request["method"]?.string ?? "?"
    let columns = (event.json["columns"]?.array ?? []).map { $0.string ?? "" }
    func column(_ name: String, _ row: [JSON]) -> Int? {
      columns.firstIndex(of: name).flatMap { $0 < row.count ? row[$0].traceInteger : nil }
    }
    var byStatus: [Int: [(at: Int, took: Int)]] = [:]
    for row in event.json["rows"]?.array ?? [] {
      guard let row = row.array, let at = column("at", row) else { continue }
      byStatus[column("status", row) ?? 0, default: []].append((at, column("took", row) ?? 0))
    }
    let (from, to) = (Party(event.text("from")), Party(event.text("to")))
    return byStatus.sorted { $0.value[0].at < $1.value[0].at }.map { status, spans in
      var step = Step(
        kind: .exchange, events: [event.id], at: spans.map(\.at).min() ?? event.at, from: from, to: to,
        title: "\(method) \(place(url, to))")
      step.took = (spans.map { $0.at + $0.took }.max() ?? step.at) - step.at
      step.answer = status == 0 ? "no answer" : String(status)
      step.tone = status == 0 || status >= 400 ? .bad : .plain
      step.line = event.line
      step.count = spans.count
      step.spans = spans
      step.fold = "\(from) \(to) \(method) \(pattern(url))  \(status) 0"
      return step
    }
  }

  /// The short form of an address: at the authority the last part of the path, else the path.
  private static func place(_ url: String, _ to: Party) -> String {
    let path = path(url)
    guard to == .authority else { return to == .other ? WebAddress(url).base : path }
    let parts = path.split(separator: "/")
    // Two endpoints of native authentication are called `start`: signup/v1.0/start and resetpassword/v1.0/start.
    if let version = parts.lastIndex(of: "v1.0"), version > 0, version == parts.count - 2 {
      return "\(parts[version - 1])/\(parts[version + 1])"
    }
    return parts.last.map(String.init) ?? path
  }

  static func path(_ url: String) -> String {
    let path = WebAddress(url).path
    return path.isEmpty ? "/" : String(path)
  }

  /// The address without its query, IDs taken out, so that requests that differ in those alone are alike.
  private static func pattern(_ url: String) -> String {
    WebAddress(url).base.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.contains(where: \.isNumber) && part.allSatisfy({ $0.isHexDigit || $0 == "-" }) ? "…" : part
    }.joined(separator: "/")
  }
}

extension String {
  var oneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
