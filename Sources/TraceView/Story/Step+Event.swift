import Core
import JSON
import PageStyle
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
    self.init(
      kind: kind, events: [event.id], at: event.at, took: event.took, from: from, to: to, title: title.oneLine)
    failure = event.error
    self.tone = failure == nil ? tone : .bad
    line = event.line
  }

  private static func navigation(_ event: TraceEvent) -> Step {
    let kind = event.text("kind") ?? "other"
    let toHost = kind == "redirect"
    var step = Step(
      event, .message, toHost ? .browser : .host, toHost ? .host : .browser,
      toHost
        ? "redirect: \(answerFields(event.text("url") ?? ""))" : "\(kind == "authorize" ? kind : pageName(event)) page")
    if kind == "login" || kind == "other" {
      step.kind = .note
      step.from = .browser
      step.to = .browser
      step.tone = .quiet
    }
    if let decision = event.text("decision"), decision != "show" { step.title += " (\(decision))" }
    return step
  }

  /// The name of a page by its address, so that it is the same whether the settings have `loginURL` or not.
  private static func pageName(_ event: TraceEvent) -> String {
    let address = WebAddress(event.text("url") ?? "")
    return address.path.split(separator: "/").last.map(String.init) ?? address.base
  }

  /// The names of the parameters that the authority answered with.
  private static func answerFields(_ url: String) -> String {
    let names = WebAddress(url).parameters.map(\.name)
    return names.isEmpty ? "no parameters" : names.joined(separator: ", ")
  }

  private static func page(_ event: TraceEvent) -> Step {
    let alerts = event.json["alerts"]?.array?.compactMap(\.string) ?? []
    // An answer that is no page of its own has no title.
    let title = event.text("title").flatMap { $0.isEmpty ? nil : " “\($0)”" } ?? ""
    let status = event.json.integer("status").flatMap { $0 >= 400 ? ", \($0)" : nil } ?? ""
    let text = (["page\(title)\(status)"] + (alerts.isEmpty ? [] : [alerts.joined(separator: " ")])).joined(
      separator: ": ")
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
    var step = Step(
      event, .message, .host, .script, failed ? title : "signed in\(who)", tone: failed ? .bad : .good)
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
    let text = ([event.text("message") ?? ""] + fields.map { "\($0.key)=\($0.value.plainText)" }).joined(
      separator: "  ")
    var step = Step(event, .note, .script, .script, "\(level): \(text)", tone: tone)
    step.fold = "log \(level) \(event.line ?? "")"
    return step
  }
}

extension String {
  /// Words with single spaces.
  var oneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
