import HTTPServer
import Pages

/// The requests that wait for a user (CIBA), on the status page, where a developer answers them in place of the user.
extension StatusPage {
  static let answerPath = "backchannel"

  /// The table of the waiting requests; empty without one.
  var waitingRequests: HTML? {
    let rows = engine.backchannel.pending.map { request in
      let form = HTML(
        .form, with: ["method": "post", "action": "/\(Self.answerPath)"], Page.hidden("id", request.pageID),
        HTML(.button, with: ["name": "action", "value": "agree"], "Agree"), " ",
        HTML(.button, with: ["name": "action", "value": "refuse"], "Refuse"))
      let application = engine.clients.application(request.clientID)?.name ?? request.clientID
      return HTML(
        .tr, HTML(.td, shown(application)), HTML(.td, shown(request.user.username)),
        HTML(.td, shown(request.message ?? "")), HTML(.td, form))
    }
    guard !rows.isEmpty else { return nil }
    return .list(
      HTML(.h2, id: "waiting", "Waiting for the user"),
      Page.quiet(
        "Requests of applications that ask the user on another device (CIBA). Compare the text with the text of "
          + "the application."),
      table("waiting", ["Application", "User", "Text", "Answer"], rows))
  }

  /// Answers a request for the user. The random ID is only on the status page, so no page of another site knows it.
  func answer(_ request: ServerRequest) -> ServerResponse {
    if let refusal = Page.refusal(of: request, unless: ["POST"]) { return refusal }
    let form = Parameters(request.form)
    _ = engine.backchannel.answer(page: form["id"] ?? "", agrees: form["action"] == "agree")
    return AuthorizationAnswer.redirect(to: "\(origin)/")
  }
}
