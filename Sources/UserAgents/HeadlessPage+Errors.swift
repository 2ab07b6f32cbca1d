import Markup
import Secrets

extension HeadlessPage {
  /// The page answered a submission with a report, or asks for the same again.
  func rejected() -> UserAgentError {
    let reason = alerts.isEmpty ? "it asks for the password again" : excerpt(alerts.joined(separator: " "))
    return UserAgentError(
      .signInRejected, "the page \"\(title)\" refused the sign-in: \(reason)",
      hint: "check the user name and the password",
      status: status >= 400 ? status : nil, details: details)
  }

  /// An error page.
  func failed() -> UserAgentError {
    UserAgentError(
      .pageFailed, "the page \(shown) came with status \(status): \(said)", status: status, details: details)
  }

  /// What there is on a page that cannot be filled.
  func notUnderstood() -> UserAgentError {
    let fields = contents.flatMap(\.fields).filter { $0.type != "hidden" }.map { field in
      "\"\(field.name)\" (\(field.type)\(field.label.map { ", \($0)" } ?? ""))"
    }
    let form =
      contents.isEmpty
      ? "has no form"
      : "has no form to sign in with\(fields.isEmpty ? "" : "; its fields are \(fields.joined(separator: ", "))")"
    return UserAgentError(
      .pageNotUnderstood, "the page \(shown) \(form); it says: \(said)",
      hint: "fill it in on_page, or use another agent", status: status >= 400 ? status : nil, details: details)
  }

  private var said: String { excerpt(alerts.isEmpty ? text : alerts.joined(separator: " ")) }

  private var details: [String: String] {
    var details = ["page": String(url.prefix { $0 != "?" && $0 != "#" })]
    details["aadb2c_code"] = aadb2cCode(in: alerts.joined(separator: " ")) ?? aadb2cCode(in: text)
    return details
  }
}

/// One line of at most 300 characters.
func excerpt(_ text: String) -> String {
  // Before it is cut: what a cut leaves of a secret would not be recognized.
  let line = Redaction.clean(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  if line.isEmpty { return "nothing" }
  return line.count <= 300 ? line : line.prefix(299) + "…"
}
