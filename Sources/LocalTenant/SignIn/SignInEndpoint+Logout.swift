import HTTPServer
import JSON

extension SignInEndpoint {
  /// Ends the session (OpenID Connect RP-Initiated Logout 1.0). If the browser has no session, ends all sessions of the
  /// user named by `id_token_hint`.
  func logout(_ request: ServerRequest) throws -> ServerResponse {
    guard ["GET", "HEAD", "POST"].contains(request.method) else { return methodNotAllowed(request, "GET, POST") }
    let parameters = Dictionary(request.query + request.form) { first, _ in first }
    let texts = Texts(request)
    var closed: [Session] = []
    if let session = state.close(Cookies.value(Cookies.session, in: request)) {
      closed = [session]
    } else if let hint = parameters["id_token_hint"],
      let user = try IDTokenHint.claims(hint, issuer.keys)?["sub"]?.string
    {
      closed = state.close(userID: user)
    }
    let headers = [Cookies.clear(Cookies.session, isSecure: isSecure)]
    let frames = try closed.flatMap(frontChannelLogouts)
    guard let target = parameters["post_logout_redirect_uri"], !target.isEmpty else {
      return Page.signedOut(texts, frames: frames, text: texts.mayClose).response(headers: headers)
    }
    guard Contoso.applications.contains(where: { $0.allows(redirectURI: target) }), !target.hasPrefix("urn:") else {
      return Page.signedOut(texts, frames: frames, text: texts.fill(\.unknownReturn, target)).response(headers: headers)
    }
    let state = parameters["state"].map { [("state", $0)] } ?? []
    let location = AuthorizationAnswer.appending(state, to: target)
    guard frames.isEmpty else {
      return Page.signedOut(texts, frames: frames, text: nil, target: location).response(headers: headers)
    }
    return ServerResponse(status: 302, headers: AuthorizationAnswer.headers(location: location) + headers)
  }

  /// The logout URIs of the session's applications (OpenID Connect Front-Channel Logout 1.0 §2).
  private func frontChannelLogouts(_ session: Session) throws -> [String] {
    try session.issuers.sorted { $0.key < $1.key }.compactMap { client, issuer in
      guard let application = Contoso.application(client),
        let uri = try directory.frontChannelLogoutURI(of: application)
      else { return nil }
      return AuthorizationAnswer.appending([("iss", issuer), ("sid", session.id)], to: uri)
    }
  }
}
