import Core
import JSON
import Pages
import Trace

struct ClaimsHTML {
  let trace: RecordedTrace

  var html: HTML {
    let tokens = SeenToken.all(trace)
    guard !tokens.isEmpty else { return HTML(.p, class: "quiet", "No token was seen.") }
    return .list(tokens.enumerated().map { card($0.element, isOpen: $0.offset < 4) })
  }

  private func card(_ token: SeenToken, isOpen: Bool) -> HTML {
    let now = token.moment(trace)
    let ending = Claim.list(token.claims).first { $0.name == "exp" }?.time(seenAt: now)
    let facts = [token.claims["name"]?.string, token.claims["tfp"]?.string ?? token.claims["acr"]?.string, ending]
    let summary = HTML(
      .summary, HTML(.b, token.label), " ",
      HTML(.span, class: "quiet", facts.compactMap(\.self).joined(separator: " · ")))
    return HTML(
      .details, class: "token", id: "token-\(token.event.id)",
      with: ["data-label": token.label, "open": isOpen ? "" : nil], summary, token.validations.map { checks($0, now) },
      HTML(.h3, "Claims"), table(token.claims, now), HTML(.h3, "Header"), table(token.header, now), "\n")
  }

  private func table(_ json: JSON, _ now: UnixTime) -> HTML {
    let rows = Claim.list(json).map { claim in
      let time = claim.time(seenAt: now).map { HTML.list(HTML(.br), HTML(.span, $0)) }
      return HTML(
        .tr, HTML(.th, with: ["scope": "row"], HTML(.code, claim.name)),
        HTML(.td, HTML(.code, claim.value.plainText), time), HTML(.td, class: "quiet", claim.meaning))
    }
    return HTML(.table, class: "claims", HTML(.tbody, rows.separated(by: "\n")))
  }

  private func checks(_ event: TraceEvent, _ now: UnixTime) -> HTML {
    let rows = (event.json["checks"]?.array ?? []).map { check in
      let result = check["result"]?.string ?? ""
      let (sign, tone) = result == "passed" ? ("✓", "good") : result == "failed" ? ("✗", "bad") : ("–", "quiet")
      return HTML(
        .tr,
        HTML(
          .th, with: ["scope": "row"], HTML(.span, class: tone, with: ["aria-hidden": "true"], sign), " ",
          check["name"]?.string), HTML(.td, Self.sentence(check, result, now)))
    }
    let valid = event.json["valid"]?.bool == true
    return .list(
      HTML(.h3, "Checked: ", HTML(.span, class: valid ? "good" : "bad", valid ? "valid" : "not valid")),
      event.error?.html, HTML(.table, class: "checks", HTML(.tbody, rows.separated(by: "\n"))))
  }

  private static func sentence(_ check: JSON, _ result: String, _ now: UnixTime) -> String {
    let isTime = ["expiry", "issued at", "not before", "sign-in time"].contains(check["name"]?.string ?? "")
    func text(_ value: JSON) -> String {
      guard isTime, let seconds = value.seconds else { return value.plainText }
      return UnixTime(seconds).moment(seenAt: now)
    }
    let actual = check["actual"].map(text)
    let expected = check["expected"].map(text)
    switch (result, actual, expected) {
    case ("skipped", _, _): return "not checked"
    case ("failed", let actual?, let expected?): return "is \(actual), expected \(expected)"
    case ("failed", nil, let expected?): return "missing, expected \(expected)"
    case (_, let actual?, _): return actual
    case (_, nil, let expected?): return expected
    case (_, nil, nil): return check["key"]?.string.map { "key \($0)" } ?? result
    }
  }
}
