import Core
import HTTPClient
import HostLoop
import JSON

@HostActor
final class WebViewTrip {
  private var request: NavigationRequest
  private let window: WebViewWindow
  private let session: WebViewSession?
  private var place: String
  /// True if on_navigate hides that page.
  private var isHidden = false

  init(_ request: NavigationRequest, _ window: WebViewWindow, _ session: WebViewSession?) {
    self.request = request
    self.window = window
    self.session = session
    place = request.url
  }

  func start(caFile: String?, cookies: [JSON]) {
    var message: [String: JSON] = [
      "type": "open", "url": .string(request.url), "cookies": .array(cookies), "hidden": .bool(request.isUnattended),
    ]
    message["redirect_uri"] = request.redirectURI.map { .string($0) }
    message["policy"] = request.policy.map { .string($0) }
    message["code"] = request.code.map { .string($0) }
    message["ca_file"] = caFile.map { .string($0) }
    window.send(.object(message))
  }

  /// To the redirect; without a person, to the first page.
  func run() async throws -> String {
    defer { window.close() }
    let end = try await TimeLimit.run(seconds: request.timeout) { try await self.lead(showsOnly: false) }
    guard let end else { throw timeout }
    try await keepCookies()
    return end
  }

  /// To the first page, where the person goes on alone: until the window is closed, the time or this program is over.
  func show() async throws -> String {
    do {
      guard let end = try await TimeLimit.run(seconds: request.timeout, { try await self.lead(showsOnly: true) }) else {
        throw timeout
      }
      HostActor.task { await self.linger() }
      return end
    } catch {
      window.close()
      throw error
    }
  }

  private var timeout: UserAgentError {
    UserAgentError(
      .timeout,
      "the sign-in took longer than \(formatSeconds(request.timeout)); it had come to \(Address.shown(place))",
      hint: advice)
  }

  private var advice: String {
    if request.isUnattended { return "give more time: timeout = …" }
    return isHidden
      ? "on_navigate hid that page: answer \"show\" where somebody has to do something, or give more time: timeout = …"
      : "finish it in the window, or give more time: timeout = …"
  }

  private func lead(showsOnly: Bool) async throws -> String {
    while true {
      switch try await window.next() {
      case .navigation(let id, let navigation): if let redirect = try await decide(navigation, id) { return redirect }
      case .loaded(let url): if showsOnly || request.isUnattended { return url }
      case .titled(let page): request.onTitle?(page)
      case .closed:
        // The person is done with what was only shown.
        if showsOnly { return place }
        throw UserAgentError(
          .windowClosed, "the window was closed at \(Address.shown(place)), before the sign-in was done",
          hint: "sign in again, and leave the window open until it closes by itself")
      case .failed(let reason, let url, let message): throw failure(reason, url, message)
      case .cookies: break
      }
    }
  }

  /// Lets the person go on alone. Nobody waits for the end, and no script is asked.
  private func linger() async {
    defer { window.close() }
    request.onNavigate = nil
    // A window that fails is gone, and so is the reason to wait for it.
    _ = try? await TimeLimit.run(seconds: request.timeout) {
      while true {
        switch try await self.window.next() {
        case .navigation(let id, let navigation): _ = try await self.decide(navigation, id)
        case .closed: return try await self.keepCookies()
        case .failed(let reason, let url, let message): throw self.failure(reason, url, message)
        case .loaded, .titled, .cookies: break
        }
      }
    }
  }

  private func decide(_ navigation: WebViewWindow.Navigation, _ id: Int64) async throws -> String? {
    var url = navigation.url
    let kind = request.kind(of: url)
    if kind == .redirect {
      url = WebAddress(url).appending(URLEncodedForm.encode(navigation.fields))
      RedirectSecrets.register(url)
    } else if !Address.isSafe(url) {
      try refuse(navigation, id)
      return nil
    }
    let decision = try await request.decide(on: url)
    if kind == .redirect { return url }
    place = url
    isHidden = decision == .hide
    window.send(["type": "decision", "id": .integer(id), "decision": .string(decision.rawValue)])
    return nil
  }

  /// A link to where no sign-in leads is not followed; a page that leads there by itself ends it.
  private func refuse(_ navigation: WebViewWindow.Navigation, _ id: Int64) throws(UserAgentError) {
    guard navigation.isByPerson else { throw request.insecure(navigation.url) }
    window.send([
      "type": "decision", "id": .integer(id), "decision": "refuse",
      "why": .string("\(Address.shown(navigation.url)) is not opened here: it is neither https nor on this machine."),
    ])
  }

  private func failure(_ reason: String, _ url: String, _ message: String) -> UserAgentError {
    switch reason {
    case "certificate":
      UserAgentError(
        .certificate, "the certificate of \(Address.shown(url)) is not trusted: \(message)",
        hint:
          "give the certificate of its issuer with --cacert FILE or SSL_CERT_FILE, if you know that it is the right one"
      )
    case "no_display":
      UserAgentError(
        .noDisplay, "no window can be opened: \(message)",
        hint: "check DISPLAY or WAYLAND_DISPLAY, or use the agent \"terminal\"")
    case "page": UserAgentError(.pageFailed, "\(Address.shown(url)): \(excerpt(message))")
    default: UserAgentError(.webViewFailed, "the page at \(Address.shown(url)) is gone: \(excerpt(message))")
    }
  }

  private func keepCookies() async throws {
    guard let session, let cookies = try await window.finish() else { return }
    try session.keep(cookies)
  }
}
