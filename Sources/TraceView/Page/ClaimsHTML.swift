import Core
import JSON
import PageStyle
import Trace

struct ClaimsHTML {
  let trace: RecordedTrace

  var text: String {
    let tokens = SeenToken.all(trace)
    guard !tokens.isEmpty else { return "<p class=\"quiet\">No token was seen.</p>\n" }
    return tokens.enumerated().map { card($0.element, isOpen: $0.offset < 4) }.joined()
  }

  private func card(_ token: SeenToken, isOpen: Bool) -> String {
    let now = token.moment(trace)
    let ending = Claim.list(token.claims).first { $0.name == "exp" }?.time(seenAt: now)
    let facts = [token.claims["name"]?.string, token.claims["tfp"]?.string ?? token.claims["acr"]?.string, ending]
    return """
      <details class="token" id="token-\(token.event.id)" data-label="\(HTMLText.escape(token.label))"\(isOpen ? " open" : "")>
      <summary><b>\(HTMLText.escape(token.label))</b> <span class="quiet">\
      \(HTMLText.escape(facts.compactMap(\.self).joined(separator: " · ")))</span></summary>
      \(token.validations.map { checks($0, now) }.joined())<h3>Claims</h3>\(table(token.claims, now))
      <h3>Header</h3>\(table(token.header, now))
      </details>

      """
  }

  private func table(_ json: JSON, _ now: UnixTime) -> String {
    let rows = Claim.list(json).map { claim in
      let time = claim.time(seenAt: now).map { "<br><span>\(HTMLText.escape($0))</span>" } ?? ""
      return """
        <tr><th scope="row"><code>\(HTMLText.escape(claim.name))</code></th>\
        <td><code>\(HTMLText.escape(claim.value.plainText))</code>\(time)</td>\
        <td class="quiet">\(HTMLText.escape(claim.meaning ?? ""))</td></tr>
        """
    }
    return "<table class=\"claims\"><tbody>\(rows.joined(separator: "\n"))</tbody></table>"
  }

  private func checks(_ event: TraceEvent, _ now: UnixTime) -> String {
    let rows = (event.json["checks"]?.array ?? []).map { check in
      let result = check["result"]?.string ?? ""
      let (sign, tone) = result == "passed" ? ("✓", "good") : result == "failed" ? ("✗", "bad") : ("–", "quiet")
      return """
        <tr><th scope="row"><span class="\(tone)" aria-hidden="true">\(sign)</span> \
        \(HTMLText.escape(check["name"]?.string ?? ""))</th>\
        <td>\(HTMLText.escape(Self.sentence(check, result, now)))</td></tr>
        """
    }
    let valid = event.json["valid"]?.bool == true
    let problem = event.error.map(\.html) ?? ""
    return """
      <h3>Checked: <span class="\(valid ? "good" : "bad")">\(valid ? "valid" : "not valid")</span></h3>\(problem)
      <table class="checks"><tbody>\(rows.joined(separator: "\n"))</tbody></table>

      """
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
