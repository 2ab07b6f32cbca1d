import Core
import HTTPClient
package import HostLoop
import Markup

/// A page in the hands of the headless agent: what it says, and its forms to fill and submit.
@HostActor
package final class HeadlessPage: Sendable {
  package nonisolated let url: String
  package nonisolated let title: String
  /// The HTTP status it came with.
  package nonisolated let status: Int
  /// Its visible text, one line for each block.
  package nonisolated let text: String
  /// The visible text of elements that report an error.
  package nonisolated let alerts: [String]
  /// Its visible links, in order; those that run a script are left out.
  package nonisolated let links: [PageLink]
  private nonisolated let way: Way
  private nonisolated let base: String
  nonisolated let filledSecrets: Redactor
  private(set) var contents: [HTMLForm]
  private(set) var filled: Int?
  private(set) var submission: Submission?
  private(set) var target: String?

  /// How the page goes on.
  private enum Way {
    case byForms, byScripts
    /// By itself, to an absolute address.
    case to(String)
  }

  /// True if the page does nothing without scripts.
  nonisolated var needsScripts: Bool { if case .byScripts = way { true } else { false } }
  /// The absolute address that the page loads by itself, if it has no fields to fill in; nil without one.
  nonisolated var refreshTarget: String? { if case .to(let target) = way { target } else { nil } }

  struct Submission {
    let form: HTMLForm
    let button: HTMLButton?
    /// Absolute.
    let action: String
  }

  /// - Parameter filled: the secrets that were filled in on this trip; those that are filled in here are added.
  init(_ document: HTMLDocument, url: String, status: Int, filled: Redactor) {
    filledSecrets = filled
    self.url = url
    self.status = status
    title = document.title
    text = document.text
    alerts = document.alerts
    let base = document.base.flatMap { resolve(reference: $0, against: url) } ?? url
    self.base = base
    contents = document.forms
    let hasFields = document.forms.contains { $0.fields.contains { $0.type != "hidden" } }
    let target = hasFields ? nil : document.refresh.flatMap { resolve(reference: $0, against: base) }
    way = target.map { .to($0) } ?? (document.needsScripts ? .byScripts : .byForms)
    links = document.links.compactMap { link in
      guard let target = resolve(reference: link.target, against: base), !target.lowercased().hasPrefix("javascript:")
      else { return nil }
      return PageLink(url: target, text: link.text, id: link.id)
    }
  }

  package var forms: [PageForm] { contents.map { PageForm($0, action: action(of: $0)) } }

  /// Fills the field of that name (or `id`) in the first form that has one. A check box or radio button is checked by
  /// its value, and a check box unchecked by an empty text.
  package func fill(_ name: String, _ value: String) throws(UserAgentError) {
    for form in contents.indices {
      let matches = contents[form].fields.indices.filter {
        contents[form].fields[$0].name == name || contents[form].fields[$0].id == name
      }
      guard let first = matches.first else { continue }
      filled = form
      switch contents[form].fields[first].type {
      case "checkbox", "radio":
        let values = matches.map { contents[form].fields[$0].value }
        guard value.isEmpty || values.contains(value) else { throw missing("choice of \(name)", value, values) }
        for index in matches { contents[form].fields[index].isChecked = contents[form].fields[index].value == value }
      default: contents[form].fields[first].value = value
      }
      return
    }
    throw missing("field", name, contents.flatMap { $0.fields.map(\.name) }.filter { !$0.isEmpty })
  }

  /// Submits by the button of that name, id, value or label; else the filled or the first form, as Enter would.
  package func submit(_ button: String? = nil) throws(UserAgentError) {
    guard let button else {
      guard let form = filled ?? contents.indices.first else {
        throw UserAgentError(.noSuchElement, "the page \(shown) has no form to submit")
      }
      return submit(form)
    }
    for (index, form) in contents.enumerated() {
      if let pressed = form.submitting.first(where: { [$0.name, $0.id, $0.value, $0.label].contains(button) }) {
        return submit(index, pressed)
      }
    }
    throw missing("button", button, contents.flatMap { $0.buttons.map(\.label) })
  }

  func submit(_ form: Int) { submit(form, contents[form].leadingOn.first ?? contents[form].submitting.first) }

  func set(_ value: String, form: Int, field: Int) { contents[form].fields[field].value = value }

  func check(_ isChecked: Bool, form: Int, field: Int) { contents[form].fields[field].isChecked = isChecked }

  func submit(_ form: Int, _ button: HTMLButton?) {
    target = nil
    for field in contents[form].passwords + [contents[form].code].compactMap(\.self) {
      filledSecrets.register(contents[form].fields[field].value)
    }
    let action = button?.action.flatMap { resolve(reference: $0, against: base) } ?? action(of: contents[form])
    submission = Submission(form: contents[form], button: button, action: action)
  }

  /// A name for the field of a one-time code that differs from page to page; nil without such a field.
  var codeField: String? {
    contents.lazy.compactMap { form in
      form.code.map { "\(WebAddress(self.action(of: form)).base) \(form.fields[$0].name)" }
    }.first
  }

  /// Follows the link of that text, address (as written or absolute) or id: "Forgot your password?", "Sign up now".
  /// - Throws: `no_such_element`, with the nearest one.
  package func follow(_ link: String) throws(UserAgentError) {
    let candidates = links.filter { $0.text == link || $0.url == link || $0.id == link }
    let loose = links.filter { $0.text.lowercased() == link.lowercased() || resolved(link) == $0.url }
    guard let target = candidates.first ?? loose.first else {
      throw missing("link", link, links.map(\.text).filter { !$0.isEmpty })
    }
    submission = nil
    self.target = target.url
  }

  /// A form without an action goes to the page's own address (HTML, 4.10.21.3), whatever the base is.
  func action(of form: HTMLForm) -> String { form.action.flatMap { resolve(reference: $0, against: base) } ?? url }

  private func resolved(_ reference: String) -> String? { resolve(reference: reference, against: base) }

  nonisolated var shown: String { "\"\(title)\" at \(Address.shown(url))" }

  func missing(_ what: String, _ name: String, _ known: [String]) -> UserAgentError {
    let near = nearestName(to: name, in: known).map { "did you mean \"\($0)\"?" }
    let list = known.map { "\"\($0)\"" }.joined(separator: ", ")
    return UserAgentError(
      .noSuchElement, "the page \(shown) has no \(what) \"\(name)\"",
      hint: near ?? (known.isEmpty ? "it has none at all" : "it has \(list)"))
  }

  /// The page answered a submission with a report, or asks for the same again.
  func rejected(credential: String) -> UserAgentError {
    let reason =
      alerts.isEmpty
      ? "it asks for the \(credential) again" : excerpt(alerts.joined(separator: " "), without: filledSecrets)
    return failure(
      .signInRejected, "the page \"\(title)\" refused the sign-in: \(reason)",
      hint: credential == "code"
        ? "check the one-time code, and the clock it is made with" : "check the user name and the password")
  }

  func failed() -> UserAgentError { failure(.pageFailed, "the page \(shown) came with status \(status): \(said)") }

  func scripted() -> UserAgentError {
    failure(
      .pageNotUnderstood, "the page \(shown) works with scripts only, which the headless agent does not run",
      hint: "it needs a browser: use the agent \"system\"")
  }

  /// The error about a page that cannot be filled, with the fields and links that it has.
  func notUnderstood() -> UserAgentError {
    let fields = contents.flatMap(\.fields).filter { $0.type != "hidden" }.map { field in
      "\"\(field.name)\" (\(field.type)\(field.label.map { ", \($0)" } ?? ""))"
    }
    let lists = [
      Self.list("fields", fields), Self.list("buttons", contents.flatMap(\.submitting).map { "\"\($0.label)\"" }),
      Self.list("links", links.filter { !$0.text.isEmpty }.map { "\"\($0.text)\"" }),
    ]
    let form = contents.isEmpty ? "no form" : "no form to sign in with"
    return failure(
      .pageNotUnderstood, "the page \(shown) has \(form)\(lists.joined()); it says: \(said)",
      hint: "fill it in or follow a link in on_page, or use another agent")
  }

  private static func list(_ what: String, _ items: [String]) -> String {
    guard !items.isEmpty else { return "" }
    return "; its \(what) are \(items.prefix(12).joined(separator: ", "))\(items.count > 12 ? ", …" : "")"
  }

  var said: String { excerpt(alerts.isEmpty ? text : alerts.joined(separator: " "), without: filledSecrets) }

  private func failure(_ kind: UserAgentError.Kind, _ message: String, hint: String? = nil) -> UserAgentError {
    var details = ["page": WebAddress(url).base]
    details["aadb2c_code"] = aadb2cCode(in: alerts.joined(separator: " ")) ?? aadb2cCode(in: text)
    return UserAgentError(kind, message, hint: hint, status: status >= 400 ? status : nil, details: details)
  }
}

/// A link of a page, as a script sees it.
package struct PageLink: Sendable, Equatable {
  /// Absolute.
  package let url: String
  package let text: String
  package let id: String?
}

/// One line of at most 300 characters.
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

/// A form of a page, as a script sees it.
package struct PageForm: Sendable {
  package struct Field: Sendable {
    package let name: String
    package let id: String?
    /// `text`, `email`, `password`, `hidden`, `checkbox`, `select`, …
    package let type: String
    /// The value that would be submitted; `[secret]` for a password.
    package let value: String
    package let label: String?
    package let isChecked: Bool
    /// The values a `select` offers.
    package let options: [String]
  }

  package struct Button: Sendable {
    package let name: String?
    package let id: String?
    package let value: String
    package let label: String
  }

  package let id: String?
  package let name: String?
  /// Absolute.
  package let action: String
  /// `GET` or `POST`.
  package let method: String
  package let fields: [Field]
  /// The buttons that submit.
  package let buttons: [Button]

  init(_ form: HTMLForm, action: String) {
    id = form.id
    name = form.name
    self.action = action
    method = form.method
    fields = form.fields.map { field in
      let isFilledPassword = field.type == "password" && !field.value.isEmpty
      return Field(
        name: field.name, id: field.id, type: field.type, value: isFilledPassword ? "[secret]" : field.value,
        label: field.label, isChecked: field.isChecked, options: field.options.map(\.value))
    }
    buttons = form.buttons.filter { $0.submits && !$0.isDisabled }.map {
      Button(name: $0.name, id: $0.id, value: $0.value, label: $0.label)
    }
  }
}
