import HTTPServer
import JSON
import TenantTexts

extension SignInEndpoint {
  /// Ends the session (OpenID Connect RP-Initiated Logout 1.0), or without one those of the user of `id_token_hint`.
  func logout(_ request: ServerRequest) throws -> ServerResponse {
    if let refusal = Page.refusal(of: request, unless: ["GET", "POST"]) { return refusal }
    let parameters = Dictionary(request.query + request.form) { first, _ in first }
    let texts = Texts(request)
    var closed: [Session] = []
    if let session = sessions.remove(request.cookie(Cookies.session)) {
      closed = [session]
    } else if let hint = parameters["id_token_hint"],
      let user = try IDTokenHint.claims(hint, issuer.keys)?["sub"]?.string
    {
      closed = sessions.removeAll { $0.userID == user }
    }
    let headers = [ServerResponse.cookie(Cookies.session, nil, isSecure: isSecure)]
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
    return AuthorizationAnswer.redirect(to: location, headers: headers)
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

/// The tenant's cookies, with the names of B2C's cookies.
enum Cookies {
  static let session = "x-ms-cpim-sso"
  static let browser = "x-ms-cpim-csrf"
}
