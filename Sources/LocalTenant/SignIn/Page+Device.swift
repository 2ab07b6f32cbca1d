extension Page {
  /// Where the code is entered that a device shows.
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

  /// Asks whether it was the user who started this: a code may have come from someone else (RFC 8628 §5.4).
  static func deviceConfirmation(
    _ texts: Texts, _ address: PolicyAddress, id: String, userCode: String, client: String, user: User
  ) -> Page {
    let values = ["app": client, "user": user.displayName, "code": userCode]
    // Word by word, so that what is filled in is not taken for a place to fill in.
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
