import Core
import HTTPServer
import HostLoop

/// Answers what comes in at the redirect URI's port, on the server's threads: one redirect is taken, everything else
/// gets a page that says what it is.
final class RedirectDesk: Sendable {
  private struct Place {
    /// As in the redirect URI, for it may have a query of its own.
    let redirectURI: String
    /// `localhost:8400`, as browsers write it: without the port that is usual.
    let authority: String
    let path: String
  }

  private struct Expectation {
    let state: String?
    let deliver: @Sendable (String) -> Void
  }

  private struct Desk {
    var place: Place?
    var expectation: Expectation?
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

  /// Takes the next redirect with that state; `deliver` is called when its page has been sent.
  func wait(for state: String?, _ deliver: @escaping @Sendable (String) -> Void) {
    let expectation = Expectation(state: state, deliver: deliver)
    desk.withLock { $0.expectation = expectation }
  }

  func stopWaiting() { desk.withLock { $0.expectation = nil } }

  @Sendable func answer(_ request: ServerRequest) -> ServerResponse {
    // A page elsewhere whose host name was made to lead here (DNS rebinding) is told by that name.
    guard let place = desk.withLock({ $0.place }), request.header("Host")?.lowercased() == place.authority else {
      return ListenerPage.notice("Wrong address", "Nothing is served under this name.", status: 400)
    }
    guard request.path == place.path else {
      return ListenerPage.notice("Not found", "There is nothing at this address.", status: 404)
    }
    // What a browser fetches ahead nobody has seen.
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
    case "POST":
      return ListenerPage.notice("Not understood", "This is no answer to a sign-in.", status: 415)
    default:
      var refusal = ListenerPage.notice("Not allowed", "Only GET and POST are answered here.", status: 405)
      refusal.headers.append(("Allow", "GET, HEAD, POST"))
      return refusal
    }
  }

  /// What an authorization response has at least one of (RFC 6749, 4.1.2; OpenID Connect Core, 3.2.2.5).
  private static let answers: Set<String> = ["code", "error", "id_token", "access_token", "state", "response"]

  private func take(_ fields: [(String, String)], _ place: Place, target: String?) -> ServerResponse {
    func value(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
    guard fields.contains(where: { $0.0 != "state" && Self.answers.contains($0.0) && !$0.1.isEmpty }) else {
      return ListenerPage.notice(
        "Nothing to take", "This address has neither a code nor an error in it. Please sign in again.", status: 400)
    }
    let taken: Expectation? = desk.withLock { desk in
      guard let expectation = desk.expectation, expectation.state == nil || expectation.state == value("state") else {
        return nil
      }
      desk.expectation = nil
      return expectation
    }
    guard let taken else { return ListenerPage.unexpected }
    let redirect = Self.redirect(fields, place, target: target)
    RedirectSecrets.register(redirect)
    var response = value("error").map { ListenerPage.failed($0, value("error_description")) } ?? ListenerPage.succeeded
    response.whenSent = { taken.deliver(redirect) }
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
