import HostLoop
import Markup
import Secrets

/// Fills sign-in forms as a browser's password manager does: by type, `autocomplete` and the usual names.
struct CredentialFiller {
  let username: String?
  let password: Secret?

  /// What a page wants of whoever fills it.
  enum Outcome: Equatable {
    /// Submitted, with the password or before it is asked for.
    case submitted
    /// No form here takes a user name or a password.
    case notUnderstood
  }

  private static let userNames: Set<String> = [
    "username", "user", "userid", "user_name", "login", "loginfmt", "logonidentifier", "signinname", "email", "mail",
    "upn", "account", "identifier",
  ]
  private static let textTypes: Set<String> = ["text", "email", "tel", ""]

  /// Fills and submits the page's sign-in form.
  @HostActor func fill(_ page: HeadlessPage) throws(UserAgentError) -> Outcome {
    let forms = page.contents
    if let index = forms.firstIndex(where: { passwords(of: $0).count == 1 }) {
      let form = forms[index]
      guard let password else { throw missing("a password", "password", page) }
      if let user = userField(of: form, besidesPassword: true) { try fillUser(user, index, page) }
      page.set(password.reveal(), form: index, field: passwords(of: form)[0])
      page.submit(index)
      return .submitted
    }
    if let index = forms.firstIndex(where: { passwords(of: $0).isEmpty && userField(of: $0) != nil }),
      let user = userField(of: forms[index])
    {
      try fillUser(user, index, page)
      page.submit(index)
      return .submitted
    }
    // A page that only passes hidden fields on, by a script or a button.
    if forms.count == 1, !forms[0].fields.isEmpty, forms[0].fields.allSatisfy({ $0.type == "hidden" }),
      forms[0].buttons.count <= 1, forms[0].method == "POST"
    {
      page.submit(0)
      return .submitted
    }
    return .notUnderstood
  }

  @HostActor private func fillUser(_ field: Int, _ form: Int, _ page: HeadlessPage) throws(UserAgentError) {
    if let username {
      page.set(username, form: form, field: field)
    } else if page.contents[form].fields[field].value.isEmpty {
      throw missing("a user name", "username", page)
    }
  }

  private func passwords(of form: HTMLForm) -> [Int] {
    form.fields.indices.filter { form.fields[$0].type == "password" && !form.fields[$0].isDisabled }
  }

  /// The field for the user name: by what it is called; beside a password also the only text there is.
  private func userField(of form: HTMLForm, besidesPassword: Bool = false) -> Int? {
    let texts = form.fields.indices.filter {
      Self.textTypes.contains(form.fields[$0].type) && !form.fields[$0].isDisabled && !form.fields[$0].name.isEmpty
    }
    let named = texts.first { index in
      let field = form.fields[index]
      let hints = field.autocomplete?.split(separator: " ").map(String.init) ?? []
      return hints.contains("username") || hints.contains("email") || field.type == "email"
        || Self.userNames.contains(field.name.lowercased()) || Self.userNames.contains(field.id?.lowercased() ?? "")
    }
    return named ?? (besidesPassword && texts.count == 1 ? texts.first : nil)
  }

  @HostActor private func missing(_ what: String, _ option: String, _ page: HeadlessPage) -> UserAgentError {
    UserAgentError(
      .missingCredentials, "the page \(page.shown) asks for \(what), and none was given",
      hint: "give \(option) = …, or fill the page in on_page")
  }
}
