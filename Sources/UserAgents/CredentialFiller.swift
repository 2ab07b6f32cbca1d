import Core
import HostLoop
import Markup

struct CredentialFiller {
  let request: NavigationRequest

  enum Outcome: Equatable {
    case credentials
    case code
    /// A page that asks for nothing was confirmed.
    case confirmation
    /// No form here takes what there is to fill in.
    case notUnderstood
  }

  /// - Throws: `missing_credentials`, or what `request.otp` threw.
  @HostActor func fill(_ page: HeadlessPage) async throws -> Outcome {
    let forms = page.contents
    if let index = forms.firstIndex(where: { $0.passwords.count == 1 }) {
      guard let password = request.password else { throw missing("a password", "password", page) }
      if let user = forms[index].userField(besidesPassword: true) { try fillUser(user, index, page) }
      page.set(password.reveal(), form: index, field: forms[index].passwords[0])
      // Not everybody has a second factor: a field for its code beside the password may stay empty.
      if let code = forms[index].code, let otp = request.otp { page.set(try await otp(), form: index, field: code) }
      page.submit(index)
      return .credentials
    }
    if let index = forms.firstIndex(where: { $0.userCode != nil }), let field = forms[index].userCode {
      if let code = request.code { page.set(code, form: index, field: field) }
      guard !page.contents[index].fields[field].value.isEmpty else { return .notUnderstood }
      page.submit(index)
      return .confirmation
    }
    if let index = forms.firstIndex(where: { $0.passwords.isEmpty && $0.code != nil }), let field = forms[index].code {
      page.set(try await oneTimeCode(page), form: index, field: field)
      page.submit(index)
      return .code
    }
    if let index = forms.firstIndex(where: { $0.passwords.isEmpty && $0.userField() != nil }),
      let user = forms[index].userField()
    {
      try fillUser(user, index, page)
      page.submit(index)
      return .credentials
    }
    if let consent = ConsentForm(page.contents, asked: request.scopes) {
      guard consent.isForAskedScopes else { return .notUnderstood }
      for (field, isChecked) in consent.choices { page.check(isChecked, form: consent.form, field: field) }
      page.submit(consent.form, consent.accept)
      return .confirmation
    }
    return confirm(page) ? .confirmation : .notUnderstood
  }

  /// A page without anything to fill in: it passes hidden fields on, asks for consent, or which account it is to be.
  @HostActor private func confirm(_ page: HeadlessPage) -> Bool {
    guard page.contents.count == 1, page.contents[0].typed.isEmpty, page.contents[0].method == "POST" else {
      return false
    }
    let form = page.contents[0]
    let ways = form.leadingOn.filter { !ConsentForm.denies($0) }
    switch ways.count {
    case 0 where !form.submitting.isEmpty || form.fields.isEmpty: return false
    case 0: page.submit(0)
    case 1: page.submit(0, ways[0])
    default:
      guard let way = choice(of: ways) else { return false }
      page.submit(0, way)
    }
    return true
  }

  /// With a user name, only the button of that name or of another account: somebody else's session must not continue.
  private func choice(of ways: [HTMLButton]) -> HTMLButton? {
    guard let username = request.username?.lowercased() else { return ways.first }
    return ways.first { $0.words.contains(username) }
      ?? ways.first { way in ["another", "other", "different", "add"].contains { way.words.contains($0) } }
  }

  @HostActor private func fillUser(_ field: Int, _ form: Int, _ page: HeadlessPage) throws(UserAgentError) {
    if let username = request.username {
      page.set(username, form: form, field: field)
    } else if page.contents[form].fields[field].value.isEmpty {
      throw missing("a user name", "username", page)
    }
  }

  @HostActor private func oneTimeCode(_ page: HeadlessPage) async throws -> String {
    guard let otp = request.otp else { throw missing("a one-time code", "otp", page) }
    return try await otp()
  }

  @HostActor private func missing(_ what: String, _ option: String, _ page: HeadlessPage) -> UserAgentError {
    UserAgentError(
      .missingCredentials, "the page \(page.shown) asks for \(what), and none was given",
      hint: "give \(option) = …, or fill the page in on_page")
  }
}
