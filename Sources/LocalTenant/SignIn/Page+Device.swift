extension Page {
  /// The page where a user enters a device's code.
  static func deviceCode(
    _ texts: Texts, _ address: PolicyAddress, userCode: String, locales: String?, complaint: Complaint? = nil
  ) -> Page {
    Page(
      Form(
        title: \.deviceTitle, action: address.page("device"), intro: quiet(texts.deviceText), complaint: complaint,
        hidden: locales.map { [("ui_locales", $0)] } ?? [],
        fields: [Field("user_code", texts.code, autocomplete: "off", value: userCode, hint: texts.deviceCodeHint)],
        buttons: [Button(label: texts.next, action: "next")]), texts)
  }

  /// The page that asks whether the user started this sign-in, because someone else may have sent the code (RFC 8628
  /// §5.4).
  static func deviceConfirmation(
    _ texts: Texts, _ address: PolicyAddress, id: String, userCode: String, client: String, user: User
  ) -> Page {
    let values = ["app": client, "user": user.displayName, "code": userCode]
    // All placeholders are replaced in one pass, so that a placeholder inside a filled-in value stays as it is.
    let text = escape(texts.deviceConfirmText).replacing(#/\{(app|user|code)\}/#) {
      "<b>\(escape(values[String($0.output.1)] ?? ""))</b>"
    }
    return Page(
      Form(
        title: \.deviceConfirmTitle, action: address.page("device"),
        intro: "<p>\(text)</p>\n\(quiet(texts.deviceConfirmWarning))", hidden: [("confirmation", id)],
        buttons: [Button(label: texts.goOn, action: "continue")]), texts)
  }
}
