import Core
import HTTPServer
import Pages
import TenantTexts

extension Page {
  /// The page for an error that must not be sent to the client, because its redirect URI cannot be trusted. The error
  /// is in English, because it addresses the app's developers.
  static func failure(_ texts: Texts, _ error: ProtocolError, _ description: String) -> Page {
    Page(
      texts: texts, title: texts.failedTitle,
      content: .list(
        HTML(.p, texts.failedText),
        HTML(
          .div, class: "error", with: ["role": "alert", "lang": "en", "tabindex": "-1"], HTML(.p, lines(description)))),
      status: error.status, hasError: true)
  }

  static func notice(
    _ texts: Texts, _ title: KeyPath<Texts, String>, _ text: String, status: Int = 200
  ) -> Page {
    Page(texts: texts, title: texts[keyPath: title], content: HTML(.p, text), status: status)
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
      content: .list(
        HTML(.p, address.text(texts).displayable.clipped(to: 500)),
        HTML(.p, HTML(.a, with: ["href": "/"], texts.statusPage))), status: 404)
  }

  /// The page for response mode `form_post`. A script sends the form; without scripts the user presses the button.
  static func formPost(_ texts: Texts, to url: String, fields: [(String, String)]) -> Page {
    let row = HTML(.div, class: "buttons", HTML(.button, class: "primary", with: ["type": "submit"], texts.goOn))
    return Page(
      texts: texts, title: texts.backToApp,
      content: HTML(.form, with: ["method": "post", "action": url], fields.map { hidden($0, $1) }, row),
      formTargets: [source(url)], script: "document.forms[0].submit()")
  }

  /// The `state` that tells the last page of a trial that no app waits for the answer.
  static let trialState = "run-from-the-status-page"

  /// The page for apps without a redirect URI: the user copies the answer. A trial from the status page has no app.
  static func outOfBand(_ texts: Texts, url: String, fields: [(String, String)]) -> Page {
    let error = fields.first { $0.0 == "error_description" }?.1
    let isTrial = fields.contains { $0 == ("state", trialState) }
    let text =
      error.map { HTML(.p, with: ["lang": "en"], lines($0)) } ?? HTML(.p, isTrial ? texts.trialText : texts.copyThis)
    let link = isTrial ? (target: "/", text: texts.statusPage) : (target: url, text: texts.openWithApp)
    return Page(
      texts: texts, title: error != nil ? texts.notSignedIn : isTrial ? texts.signedIn : texts.almostDone,
      content: .list(
        text, HTML(.pre, url), HTML(.p, class: "quiet", HTML(.a, with: ["href": link.target], link.text))))
  }

  private static func lines(_ text: String) -> HTML {
    let lines = text.split(whereSeparator: \.isNewline)
    return .list(lines.enumerated().map { HTML.list($0.offset > 0 ? HTML(.br) : nil, String($0.element)) })
  }

  /// The page at the end of the session. Its invisible frames load the logout URIs of applications.
  static func signedOut(_ texts: Texts, frames: [String], text: String?, target: String? = nil) -> Page {
    let content = HTML.list(
      text.map { HTML(.p, $0) }, target.map { HTML(.p, HTML(.a, with: ["href": $0], texts.goOn)) },
      frames.map { HTML(.iframe, with: ["src": $0, "hidden": ""]) })
    return Page(
      texts: texts, title: texts.signedOut, content: content, frameSources: frames.map(source), destination: target)
  }
}
