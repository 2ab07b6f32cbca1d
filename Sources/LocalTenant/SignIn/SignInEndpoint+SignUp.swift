import HTTPServer

extension SignInEndpoint {
  func signUp(
    _ transaction: SignInTransaction, _ form: [String: String], _ request: ServerRequest
  ) throws -> ServerResponse {
    if let complaint = complaint(form, transaction.texts) {
      return Page.signUp(transaction, values: form, complaint: complaint).response()
    }
    do {
      let user = try directory.add(
        NewUser(
          username: form["username"] ?? "", email: form["email"]?.trimmingSpaces, password: form["newPassword"] ?? "",
          displayName: form["displayName"]?.trimmingSpaces))
      return try recognized(transaction, user, request)
    } catch let error as TenantError where error.code == "user_exists" {
      let complaint = Page.Complaint(
        text: transaction.texts.userExists, code: nil, fields: ["username", "email"])
      return Page.signUp(transaction, values: form, complaint: complaint).response()
    }
  }

  private func complaint(_ form: [String: String], _ texts: Texts) -> Page.Complaint? {
    let required = ["username", "email", "displayName", "newPassword", "reenterPassword"]
    if let complaint = missing(required, form, texts) { return complaint }
    if form["username", default: ""].utf8.count > 128 {
      return Page.Complaint(text: texts.userNameTooLong, code: nil, fields: ["username"])
    }
    return passwordComplaint(form, texts)
  }

  func missing(_ required: [String], _ form: [String: String], _ texts: Texts) -> Page.Complaint? {
    let missing = required.filter { (form[$0] ?? "").trimmingSpaces.isEmpty }
    return missing.isEmpty
      ? nil : Page.Complaint(text: texts.missingFields, code: nil, fields: missing, note: texts.emptyField)
  }

  /// Returns an error if the new password breaks the rule or its two entries differ.
  func passwordComplaint(_ form: [String: String], _ texts: Texts) -> Page.Complaint? {
    let password = form["newPassword"] ?? ""
    if !PasswordRule.admits(password) {
      return Page.Complaint(
        text: texts.fill(\.passwordMustHave, texts.passwordRule), code: nil, fields: ["newPassword"])
    }
    if password != form["reenterPassword"] {
      // Both fields are emptied, and the user starts with the first one.
      return Page.Complaint(text: texts.passwordsDiffer, code: nil, fields: ["newPassword", "reenterPassword"])
    }
    return nil
  }
}
