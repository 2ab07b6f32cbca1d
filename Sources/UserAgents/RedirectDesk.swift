import Core
import HTTPServer
import HostLoop

/// Answers at the redirect URI's port, on the server's threads: it takes one redirect; all others get a page.
final class RedirectDesk: Sendable {
  private struct Place {
    /// As in the redirect URI, for it may have a query of its own.
    let redirectURI: String
    /// `localhost:8400`, as browsers write it: without the port that is usual.
    let authority: String
    let path: String
  }

  private struct Desk {
    var place: Place?
    /// The redirect that is waited for, and its state; a nil state takes any redirect.
    var expected: (state: String?, arrival: CancellableWait<String>)?
  }

  private let desk = Locked(Desk())

  func serve(at redirectURI: String) {
    let authority = redirectURI.dropFirst("http://".count).prefix { !"/?".contains($0) }
    let target = redirectURI.dropFirst("http://".count + authority.count)
    let place = Place(
      redirectURI: redirectURI,
      authority: String(authority.hasSuffix(":80") ? authority.dropLast(3) : authority).lowercased(),
      path: ServerRequest(method: "GET", target: String(target)).path)
    desk.withLock { $0.place = place }
  }

  /// Nil takes any redirect. It arrives when its page has been sent, because the port is closed then.
  @HostActor func expect(state: String?) -> CancellableWait<String> {
    let arrival = CancellableWait<String>()
    desk.withLock { $0.expected = (state, arrival) }
    return arrival
  }

  func stopWaiting() { desk.withLock { $0.expected = nil } }

  @Sendable func answer(_ request: ServerRequest) -> ServerResponse {
    // A page elsewhere whose host name was made to lead here (DNS rebinding) is told by that name.
    guard let place = desk.withLock({ $0.place }), request.header("Host")?.lowercased() == place.authority else {
      return ListenerPage.notice("Wrong address", "Nothing is served under this name.", status: 400)
    }
    guard request.path == place.path else {
      return ListenerPage.notice("Not found", "There is nothing at this address.", status: 404)
    }
    // A page that a browser fetches ahead is one that nobody has seen.
    let isAhead = ["Sec-Purpose", "Purpose", "X-Moz"].contains {
      request.header($0)?.lowercased().contains("prefetch") == true
    }
    switch request.method {
    case _ where isAhead: return ListenerPage.notice("Not yet", "Open this address, please.", status: 503)
    case "HEAD": return ListenerPage.waiting
    case "GET":
      let answer = request.query
      let isAnswer = answer.contains { Self.answers.contains($0.0) }
      return isAnswer ? take(answer, place, target: request.target) : ListenerPage.fragment
    case "POST" where request.mediaType == "application/x-www-form-urlencoded":
      return take(request.form, place, target: nil)
    case "POST": return ListenerPage.notice("Not understood", "This is not an answer to a sign-in.", status: 415)
    default:
      var refusal = ListenerPage.notice("Not allowed", "Only GET and POST are answered here.", status: 405)
      refusal.headers.append(("Allow", "GET, HEAD, POST"))
      return refusal
    }
  }

  /// The parameters of which an authorization response has at least one (RFC 6749, 4.1.2; OpenID Connect Core, 3.2.2.5).
  private static let answers: Set<String> = ["code", "error", "id_token", "access_token", "state", "response"]

  private func take(_ fields: [(String, String)], _ place: Place, target: String?) -> ServerResponse {
    func value(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
    guard fields.contains(where: { $0.0 != "state" && Self.answers.contains($0.0) && !$0.1.isEmpty }) else {
      return ListenerPage.notice(
        "Nothing to take", "This address has neither a code nor an error in it. Please sign in again.", status: 400)
    }
    let arrival: CancellableWait<String>? = desk.withLock { desk in
      // The state of a signed response is inside, where `oauth.redirect` compares it.
      guard let expected = desk.expected,
        expected.state == nil || expected.state == value("state") || value("response") != nil
      else { return nil }
      desk.expected = nil
      return expected.arrival
    }
    guard let arrival else { return ListenerPage.unexpected }
    let redirect = Self.redirect(fields, place, target: target)
    RedirectSecrets.register(redirect)
    var response = value("error").map { ListenerPage.failed($0, value("error_description")) } ?? ListenerPage.succeeded
    response.whenSent = { HostActor.task { arrival.finish(.success(redirect)) } }
    return response
  }

  /// The redirect as it was asked for, or, posted, with the fields as its query.
  private static func redirect(_ fields: [(String, String)], _ place: Place, target: String?) -> String {
    guard let target, let query = WebAddress(target).query else {
      return WebAddress(place.redirectURI).appending(URLEncodedForm.encode(fields))
    }
    return "\(WebAddress(place.redirectURI).base)?\(query)"
  }
}
