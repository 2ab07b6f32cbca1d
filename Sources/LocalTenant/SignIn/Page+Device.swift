extension Page {
  /// Where the code is entered that a device shows.
  static func deviceCode(_ address: PolicyAddress, userCode: String, complaint: Complaint? = nil) -> Page {
    let field = field(
      "user_code", "Code", type: "text", autocomplete: "off", value: userCode, hint: "Eight letters, such as BCDF-GHJK",
      isFocused: true, complaint: complaint)
    return Page(
      title: "Connect a device",
      content: """
        <p class="quiet">Enter the code that your device or program shows.</p>
        \(summary(complaint))<form method="post" action="\(escape(address.page("device")))">
        \(field)
        <div class="buttons">
        <button class="primary" type="submit" name="action" value="next">Next</button>
        <button type="submit" name="action" value="cancel" formnovalidate>Cancel</button>
        </div>
        </form>
        """)
  }

  /// Asks whether it was the user who started this: a code may have come from someone else (RFC 8628 §5.4).
  static func deviceConfirmation(
    _ address: PolicyAddress, id: String, userCode: String, client: String, user: User
  ) -> Page {
    Page(
      title: "Sign in on the device?",
      content: """
        <p>You are about to sign in to <b>\(escape(client))</b> as <b>\(escape(user.displayName))</b> on the device that \
        shows the code <b>\(escape(userCode))</b>.</p>
        <p class="quiet">Continue only if you started this yourself and the code is the same.</p>
        <form method="post" action="\(escape(address.page("device")))">
        <input type="hidden" name="confirmation" value="\(id)">
        <div class="buttons">
        <button class="primary" type="submit" name="action" value="continue">Continue</button>
        <button type="submit" name="action" value="cancel">Cancel</button>
        </div>
        </form>
        """)
  }
}
