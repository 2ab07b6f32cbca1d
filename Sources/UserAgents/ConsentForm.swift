import Core
import Markup

/// The form of a page that asks whether an application may have what it asked for: nothing to type, a button that accepts,
/// and one that denies.
struct ConsentForm {
  /// The index of the form that accepts.
  let form: Int
  let accept: HTMLButton
  /// The check boxes for scopes, and whether each is to be checked: those that were asked for.
  private(set) var choices: [(field: Int, isChecked: Bool)] = []
  /// True if the form grants nothing that was not asked for.
  private(set) var isForAskedScopes = true

  private static let acceptWords: Set<Substring> = [
    "accept", "allow", "approve", "authorize", "authorise", "consent", "grant", "agree", "permit", "yes",
  ]
  private static let denyWords: Set<Substring> = [
    "deny", "decline", "cancel", "reject", "refuse", "disallow", "disagree", "no", "not", "don",
  ]
  private static let scopeNames: Set<Substring> = [
    "scope", "scopes", "grantscope", "grantscopes", "grantedscope", "grantedscopes", "scopesconsented", "consentscopes",
    "acceptedscopes", "consentedscopes",
  ]

  /// - Parameters:
  ///   - forms: all of the page. Those for the language or for signing out are passed over.
  ///   - asked: the scopes of the request; nil where they are unknown.
  init?(_ forms: [HTMLForm], asked: Set<Substring>?) {
    let buttons = forms.enumerated().flatMap { index, form in form.submitting.map { (form: index, button: $0) } }
    guard buttons.contains(where: { Self.denies($0.button) }),
      let accepting = buttons.first(where: { index, button in
        forms[index].method == "POST" && forms[index].typed.isEmpty && Self.accepts(button)
      })
    else { return nil }
    form = accepting.form
    accept = accepting.button
    guard let asked else { return }
    for (index, field) in forms[form].fields.enumerated() where Self.isScope(field) {
      let scopes = field.value.split { $0 == " " || $0 == "," || $0 == "+" }
      let isAsked = scopes.allSatisfy(asked.contains)
      switch field.type {
      case "checkbox" where !field.isDisabled: choices.append((index, isAsked))
      default: isForAskedScopes = isForAskedScopes && (isAsked || !field.isChecked)
      }
    }
  }

  /// True if the button refuses something. It is pressed by people only.
  static func denies(_ button: HTMLButton) -> Bool { !denyWords.isDisjoint(with: words(button)) }

  private static func accepts(_ button: HTMLButton) -> Bool {
    !denies(button) && !acceptWords.isDisjoint(with: words(button))
  }

  private static func words(_ button: HTMLButton) -> [Substring] { button.words.split { !$0.isLetter } }

  private static func isScope(_ field: HTMLField) -> Bool {
    scopeNames.contains(Substring(field.name.lowercased().filter(\.isLetter)))
  }
}

extension NavigationRequest {
  /// The scopes that the authorization request asks for; nil where its address names none.
  var scopes: Set<Substring>? {
    WebAddress(url).field("scope").map { Set($0.split(separator: " ").map { Substring(String($0)) }) }
  }
}
