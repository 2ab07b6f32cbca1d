import Core
import Markup

extension HeadlessPage {
  /// The page answered a submission with a report, or asks for the same again.
  func rejected(credential: String) -> UserAgentError {
    let reason =
      alerts.isEmpty
      ? "it asks for the \(credential) again" : excerpt(alerts.joined(separator: " "), without: filledSecrets)
    return UserAgentError(
      .signInRejected, "the page \"\(title)\" refused the sign-in: \(reason)",
      hint: credential == "code"
        ? "check the one-time code, and the clock it is made with" : "check the user name and the password",
      status: status >= 400 ? status : nil, details: details)
  }

  /// An error page.
  func failed() -> UserAgentError {
    UserAgentError(
      .pageFailed, "the page \(shown) came with status \(status): \(said)", status: status, details: details)
  }

  /// A page that does nothing without scripts, such as B2C's own.
  func scripted() -> UserAgentError {
    UserAgentError(
      .pageNotUnderstood, "the page \(shown) works with scripts only, which the headless agent does not run",
      hint: "it needs a browser: use the agent \"system\"", status: status >= 400 ? status : nil, details: details)
  }

  /// The error about a page that cannot be filled, with the fields and links that it has.
  func notUnderstood() -> UserAgentError {
    let fields = contents.flatMap(\.fields).filter { $0.type != "hidden" }.map { field in
      "\"\(field.name)\" (\(field.type)\(field.label.map { ", \($0)" } ?? ""))"
    }
    var form = contents.isEmpty ? "has no form" : "has no form to sign in with"
    form += Self.list("fields", fields)
    form += Self.list("buttons", contents.flatMap(\.submitting).map { "\"\($0.label)\"" })
    form += Self.list("links", links.filter { !$0.text.isEmpty }.map { "\"\($0.text)\"" })
    return UserAgentError(
      .pageNotUnderstood, "the page \(shown) \(form); it says: \(said)",
      hint: "fill it in or follow a link in on_page, or use another agent", status: status >= 400 ? status : nil,
      details: details)
  }

  private static func list(_ what: String, _ items: [String]) -> String {
    guard !items.isEmpty else { return "" }
    return "; its \(what) are \(items.prefix(12).joined(separator: ", "))\(items.count > 12 ? ", …" : "")"
  }

  private var said: String { excerpt(alerts.isEmpty ? text : alerts.joined(separator: " "), without: filledSecrets) }

  private var details: [String: String] {
    var details = ["page": WebAddress(url).base]
    details["aadb2c_code"] = aadb2cCode(in: alerts.joined(separator: " ")) ?? aadb2cCode(in: text)
    return details
  }
}

/// One line of at most 300 characters.
/// - Parameter secrets: those of the trip.
func excerpt(_ text: String, without secrets: Redactor = Redactor()) -> String {
  // Before it is cut: what a cut leaves of a secret would not be recognized.
  let line = secrets.clean(Redaction.forScripts(text)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  if line.isEmpty { return "nothing" }
  return line.count <= 300 ? line : line.prefix(299) + "…"
}

/// The first Azure AD B2C error code, such as `AADB2C90053`, in a text; nil without one.
func aadb2cCode(in text: String) -> String? {
  guard let range = text.firstRange(of: "AADB2C") else { return nil }
  let digits = text[range.upperBound...].prefix { $0.isASCII && $0.isNumber }
  return digits.isEmpty ? nil : "AADB2C\(digits)"
}
