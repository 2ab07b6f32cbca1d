import HTTPServer

extension SignInEndpoint {
  /// The end of the session (OpenID Connect RP-Initiated Logout).
  func logout(_ request: ServerRequest) -> ServerResponse {
    guard ["GET", "HEAD", "POST"].contains(request.method) else { return methodNotAllowed("GET, POST") }
    let parameters = Dictionary(request.query + request.form) { first, _ in first }
    state.close(Cookies.value(Cookies.session, in: request))
    let cookie = Cookies.clear(Cookies.session, isSecure: isSecure)
    guard let target = parameters["post_logout_redirect_uri"], !target.isEmpty else {
      return Page.notice("You are signed out", "You may close this page.").response(headers: [cookie])
    }
    guard Contoso.applications.contains(where: { $0.allows(redirectURI: target) }), !target.hasPrefix("urn:") else {
      return Page.notice(
        "You are signed out", "The address to go back to is not registered for any application: \(target)"
      ).response(headers: [cookie])
    }
    let state = parameters["state"].map { [("state", $0)] } ?? []
    let location = AuthorizationAnswer.appending(state, to: target)
    return ServerResponse(status: 302, headers: AuthorizationAnswer.headers(location: location) + [cookie])
  }
}
