extension Page {
  /// For errors that must not be sent to the client, because its address cannot be trusted.
  static func failure(_ error: ProtocolError, clock: TenantClock) -> Page {
    let lines = error.description(clock).split(whereSeparator: \.isNewline).map { "<p>\(escape(String($0)))</p>" }
    return Page(
      title: "This sign-in cannot go on",
      content: "<div class=\"error\" role=\"alert\">\(lines.joined(separator: "\n"))</div>", status: error.status)
  }

  static func notice(_ title: String, _ text: String, status: Int = 200) -> Page {
    Page(title: title, content: "<p>\(escape(text))</p>", status: status)
  }

  /// Response mode `form_post`: sent by a script where there is one, else by the button.
  static func formPost(_ texts: Texts, to url: String, fields: [(String, String)]) -> Page {
    let inputs = fields.map { "<input type=\"hidden\" name=\"\(escape($0.0))\" value=\"\(escape($0.1))\">" }
    return Page(
      texts: texts, title: texts.backToApp,
      content: """
        <form method="post" action="\(escape(url))">
        \(inputs.joined(separator: "\n"))
        <div class="buttons"><button class="primary" type="submit">\(escape(texts.goOn))</button></div>
        </form>
        """, formTargets: [source(url)], script: "document.forms[0].submit()")
  }

  /// For apps without an address: the user takes the answer to them.
  static func outOfBand(_ texts: Texts, url: String, fields: [(String, String)]) -> Page {
    let error = fields.first { $0.0 == "error_description" }?.1
    return Page(
      texts: texts, title: error == nil ? texts.almostDone : texts.notSignedIn,
      content: """
        <p>\(escape(error ?? texts.copyThis))</p>
        <pre>\(escape(url))</pre>
        <p class="quiet"><a href="\(escape(url))">\(escape(texts.openWithApp))</a></p>
        """)
  }

  /// The end of the session. The frames tell applications of it, without being seen.
  /// - Parameter target: where to go on to.
  static func signedOut(_ texts: Texts, frames: [String], text: String?, target: String? = nil) -> Page {
    let notice = text.map { "<p>\(escape($0))</p>" } ?? ""
    let link = target.map { "<p><a href=\"\(escape($0))\">\(escape(texts.goOn))</a></p>" } ?? ""
    let elements = frames.map { "<iframe src=\"\(escape($0))\" hidden></iframe>" }
    return Page(
      texts: texts, title: texts.signedOut, content: notice + link + elements.joined(separator: "\n"),
      frameSources: frames.map(source), destination: target)
  }
}
