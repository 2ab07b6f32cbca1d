import HTTPServer

/// The requests that wait for a user (CIBA), on the status page, where a developer answers them in place of the user.
extension StatusPage {
  static let answerPath = "backchannel"

  /// The table of the waiting requests; empty without one.
  var waitingRequests: String {
    let rows = engine.backchannel.pending.map { request in
      """
      <tr><td>\(shown(engine.clients.application(request.clientID)?.name ?? request.clientID))</td>\
      <td>\(shown(request.user.username))</td><td>\(shown(request.message ?? ""))</td><td>\
      <form method="post" action="/\(Self.answerPath)"><input type="hidden" name="id" value="\(request.pageID)">\
      <button name="action" value="agree">Agree</button> <button name="action" value="refuse">Refuse</button></form>\
      </td></tr>
      """
    }
    guard !rows.isEmpty else { return "" }
    return """
      <h2 id="waiting">Waiting for the user</h2>
      <p class="quiet">Requests of applications that ask the user on another device (CIBA). Compare the text with the text of \
      the application.</p>

      """ + table("waiting", ["Application", "User", "Text", "Answer"], rows)
  }

  /// Answers a request for the user. The random ID is only on the status page, so no page of another site knows it.
  func answer(_ request: ServerRequest) -> ServerResponse {
    if let refusal = Page.refusal(of: request, unless: ["POST"]) { return refusal }
    let form = Parameters(request.form)
    _ = engine.backchannel.answer(page: form["id"] ?? "", agrees: form["action"] == "agree")
    return AuthorizationAnswer.redirect(to: "\(origin)/")
  }
}
