package import Core
import FoundationEssentials
import Glibc
import HTTPClient
package import HostLoop
import OAuth
package import Settings
import Terminal
package import UserAgents

/// The user agents of a run, and the sessions of the headless one.
@HostActor
package final class Agents {
  private let session: Session
  /// The agent of that name that a plugin brings; nil when no plugin does.
  package var plugin: @HostActor (String) -> (any UserAgent)? = { _ in nil }
  /// The headless agent's cookies, by the name given as `session`.
  private var sessions: [String: CookieJar] = [:]

  init(_ session: Session) { self.session = session }

  package var environment: [String: String] { ProcessInfo.processInfo.environment }

  /// The agent of a sign-in that names none: the system's browser, if the provider may send it back to this machine; else
  /// the terminal. Without a browser the former asks at the terminal, too, and says how a browser elsewhere comes back.
  package func standard(_ settings: Settings) -> AgentChoice.Kind {
    let canComeBack = (try? settings.redirectURL).map(LoopbackListener.canListen) ?? false
    if SystemAgent.browserProblem(environment) == nil {
      return session.tenant != nil || canComeBack ? .system : .terminal
    }
    return canComeBack && isatty(STDIN_FILENO) == 1 ? .system : .terminal
  }

  /// Opens a URL by an agent: to the redirect, or without a redirect URI to the last page. `code` is the user code that
  /// the person enters there; `isUnattended` is true if nobody has to do anything there.
  package func open(
    _ url: String, redirectURI: String?, code: String? = nil, isUnattended: Bool = false, by choice: AgentChoice,
    _ attempt: SignInAttempt
  ) async throws -> String {
    var request = NavigationRequest(
      url: url, redirectURI: redirectURI, code: code, authURL: attempt.settings.authURL,
      loginURL: attempt.settings.loginURL, timeout: choice.timeout, username: choice.username, password: choice.password
    )
    request.policy = Settings.policy(ofURL: url)
    // The URL of a pushed request has no state.
    request.answer.state = request.answer.state ?? attempt.authorization?.state
    // A call outside of a flow may open the pages of another provider.
    request.answer.takesCode =
      attempt.authorization.map { !AuthorizationEndpoint(attempt.provider).requiresIssuer($0.policy) } ?? true
    request.isUnattended = isUnattended
    request.otp = choice.otp
    request.cookies = choice.session.map(cookies)
    request.onNavigate = choice.onNavigate
    request.onPage = choice.onPage
    if choice.kind != .headless { try await attempt.provider.findPolicy(of: url) }
    let agent = try agent(choice, for: request, attempt)
    let watched = request.emitting(to: session.events, agent: choice.kind.rawValue)
    do {
      return try await RequestScope.asBrowser {
        if let tape = CurrentTape.value, !(agent is HeadlessAgent), AgentChoice.Kind.native.contains(choice.kind) {
          let name = choice.kind.rawValue
          let url = try await tape.input(.agent, name, waiting: { Array(try await agent.open(watched).utf8) })
          return String(decoding: url, as: UTF8.self)
        }
        let redirect = try await agent.open(watched)
        return attempt.provider.link.reopens(url) ? try await agent.open(watched) : redirect
      }
    } catch var error as UserAgentError {
      error.hint = AADB2CError.hint(for: error.code) ?? error.hint
      if error.status == 404, error.details["aadb2c_code"] == nil, let policy = request.policy {
        error.message += "; perhaps there is no policy \"\(policy)\""
        error.hint = attempt.settings.advice(aboutPolicy: policy)
      }
      throw error
    }
  }

  /// Visits the logout endpoint by the headless agent.
  func signOut(at url: String, redirectURI: String?, by choice: AgentChoice, _ attempt: SignInAttempt) async throws
    -> SignOutVisit
  {
    var request = NavigationRequest(url: url, redirectURI: redirectURI, timeout: choice.timeout)
    request.cookies = choice.session.map(cookies)
    let watched = request.emitting(to: session.events, agent: choice.kind.rawValue)
    do {
      return try await RequestScope.asBrowser { try await HeadlessAgent(http: attempt.provider.http).signOut(watched) }
    } catch var error as UserAgentError {
      error.hint = AADB2CError.hint(for: error.code) ?? error.hint
      throw error
    }
  }

  /// The agent of the program itself that goes there without a window; nil if a plugin brings an agent of its name.
  func isHeadless(_ choice: AgentChoice) -> Bool { choice.kind == .headless && plugin(choice.kind.rawValue) == nil }

  /// True if the agent is a window of our own.
  func hasWindow(_ choice: AgentChoice) -> Bool { choice.kind == .webview && plugin(choice.kind.rawValue) == nil }

  func webViewSession(_ choice: AgentChoice) throws -> WebViewSession? {
    try choice.session.map { try WebViewSession($0, environment: environment) }
  }

  private func cookies(ofSession name: String) -> CookieJar {
    let jar = sessions[name] ?? CookieJar()
    sessions[name] = jar
    return jar
  }

  private func agent(_ choice: AgentChoice, for request: NavigationRequest, _ attempt: SignInAttempt) throws
    -> any UserAgent
  {
    if let agent = plugin(choice.kind.rawValue) { return agent }
    if choice.kind == .headless { return HeadlessAgent(http: attempt.provider.http) }
    if choice.password != nil {
      session.console.log(
        .warn,
        "the agent \(choice.kind.rawValue) leaves pages to a person, and does not use the password; agent = \"headless\" does"
      )
    }
    let terminal = TerminalAgent(
      write: { [console = session.console] in console.write($0) }, readLine: { try await LineInput.pastedLine() },
      screen: { TerminalScreen(of: STDERR_FILENO) })
    if choice.kind == .terminal { return terminal }
    // The server at an address gets everything in it.
    try attempt.provider.http.admit(url: request.url)
    if choice.kind == .webview {
      return WebViewAgent(
        environment: environment, caFile: session.configuration.caFile, session: try webViewSession(choice))
    }
    return SystemAgent(
      listener: try request.redirectURI.flatMap { try listener($0, attempt) }, terminal: terminal,
      environment: environment)
  }

  /// Nil for a redirect URI such as `urn:ietf:wg:oauth:2.0:oob`, for which the agent takes what is pasted.
  private func listener(_ redirectURI: String, _ attempt: SignInAttempt) throws -> LoopbackListener? {
    guard LoopbackListener.canListen(on: redirectURI) else { return nil }
    if attempt.agent.kind == .system, try attempt.redirectURI() == redirectURI { return try attempt.listener() }
    return try LoopbackListener(redirectURI: redirectURI)
  }
}

/// The agent of a sign-in, and what it fills in.
package struct AgentChoice: Sendable {
  /// An agent's name.
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static let system = Kind(rawValue: "system")
    package static let terminal = Kind(rawValue: "terminal")
    package static let headless = Kind(rawValue: "headless")
    package static let webview = Kind(rawValue: "webview")
    /// The agents that ship with the program.
    package static let native = [system, terminal, headless, webview]
  }

  package var kind = Kind.terminal
  package var username: String?
  package var password: Secret?
  /// Gives a one-time code; called each time that a page asks for one.
  package var otp: (@HostActor @Sendable () async throws -> String)?
  /// The name of the agent's cookies, kept by the headless one during the run, by the window beyond it; nil to keep none.
  package var session: String?
  package var onNavigate: (@HostActor @Sendable (String, NavigationKind) async throws -> NavigationDecision)?
  package var onPage: (@HostActor @Sendable (HeadlessPage) async throws -> Void)?
  package var timeout = 300.0

  package init() {}
}

extension NavigationRequest {
  /// The same request, of which each address, page and one-time code is emitted.
  @HostActor func emitting(to events: Events, agent: String) -> NavigationRequest {
    guard events.isWatched(RunEvent.self) else { return self }
    var request = self
    request.onNavigate = { [onNavigate] url, kind in
      let start = HostLoop.uptime
      let decision = try await onNavigate?(url, kind) ?? .show
      events.emit(
        RunEvent.navigated(agent: agent, url: url, kind: kind.rawValue, decision: decision.rawValue, start: start))
      return decision
    }
    request.onPage = { [onPage] page in
      var seen = RunEvent.PageSeen(url: page.url, status: page.status, title: page.title)
      seen.fields = page.forms.flatMap { form in
        form.fields.filter { $0.type != "hidden" }.map { (name: $0.name, type: $0.type) }
      }
      seen.alerts = page.alerts
      events.emit(RunEvent.page(agent: agent, seen))
      try await onPage?(page)
    }
    request.onTitle = { page in
      events.emit(RunEvent.page(agent: agent, RunEvent.PageSeen(url: page.url, status: page.status, title: page.title)))
    }
    if let otp {
      request.otp = {
        let code = try await otp()
        events.emit(RunEvent.secret(code))
        return code
      }
    }
    return request
  }
}
