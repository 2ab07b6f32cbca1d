import Core
import HTTPServer

extension Page {
  /// The page for an error that must not be sent to the client, because its redirect URI cannot be trusted. The error
  /// is in English, because it addresses the app's developers.
  static func failure(_ texts: Texts, _ error: ProtocolError, _ description: String) -> Page {
    Page(
      texts: texts, title: texts.failedTitle,
      content: """
        <p>\(escape(texts.failedText))</p>
        <div class="error" role="alert" lang="en" tabindex="-1"><p>\(lines(description))</p></div>
        """, status: error.status, hasError: true)
  }

  static func notice(
    _ texts: Texts, _ title: KeyPath<Texts, String>, _ text: String, status: Int = 200
  ) -> Page {
    Page(texts: texts, title: texts[keyPath: title], content: "<p>\(escape(text))</p>", status: status)
  }

  /// The response to a request whose method is not allowed; nil if the method is allowed. `GET` includes `HEAD`.
  static func refusal(of request: ServerRequest, unless methods: [String]) -> ServerResponse? {
    if methods.contains(request.method == "HEAD" ? "GET" : request.method) { return nil }
    let texts = Texts(request)
    let allowed = methods.joined(separator: ", ")
    return notice(texts, \.wrongMethodTitle, texts.fill(\.wrongMethodText, allowed), status: 405)
      .response(headers: [("Allow", allowed)])
  }

  static func nothingHere(_ texts: Texts, _ address: UnknownAddress) -> Page {
    Page(
      texts: texts, title: texts.nothingHere,
      content: """
        <p>\(escape(address.text(texts).displayable.clipped(to: 500)))</p>
        <p><a href="/">\(escape(texts.statusPage))</a></p>
        """, status: 404)
  }

  /// The page for response mode `form_post`. A script sends the form; without scripts the user presses the button.
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

  /// The `state` that tells the last page of a trial that no app waits for the answer.
  static let trialState = "run-from-the-status-page"

  /// The page for apps without a redirect URI: the user copies the answer. A trial from the status page has no app.
  static func outOfBand(_ texts: Texts, url: String, fields: [(String, String)]) -> Page {
    let error = fields.first { $0.0 == "error_description" }?.1
    let isTrial = fields.contains { $0 == ("state", trialState) }
    let text =
      error.map { "<p lang=\"en\">\(lines($0))</p>" } ?? "<p>\(escape(isTrial ? texts.trialText : texts.copyThis))</p>"
    let link = isTrial ? (target: "/", text: texts.statusPage) : (target: url, text: texts.openWithApp)
    return Page(
      texts: texts, title: error != nil ? texts.notSignedIn : isTrial ? texts.signedIn : texts.almostDone,
      content: """
        \(text)
        <pre>\(escape(url))</pre>
        <p class="quiet"><a href="\(escape(link.target))">\(escape(link.text))</a></p>
        """)
  }

  private static func lines(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { escape(String($0)) }.joined(separator: "<br>")
  }

  /// The page at the end of the session. Its invisible frames load the logout URIs of applications.
  static func signedOut(_ texts: Texts, frames: [String], text: String?, target: String? = nil) -> Page {
    let notice = text.map { "<p>\(escape($0))</p>" } ?? ""
    let link = target.map { "<p><a href=\"\(escape($0))\">\(escape(texts.goOn))</a></p>" } ?? ""
    let elements = frames.map { "<iframe src=\"\(escape($0))\" hidden></iframe>" }
    return Page(
      texts: texts, title: texts.signedOut, content: notice + link + elements.joined(separator: "\n"),
      frameSources: frames.map(source), destination: target)
  }
}
