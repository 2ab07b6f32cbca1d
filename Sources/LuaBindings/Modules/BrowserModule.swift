import Automation
import Core
import FoundationEssentials
import Glibc
import HTTPClient
import HostLoop
import Lua
import OAuth
import Settings
import Terminal
import UserAgents

extension ScriptHost {
  var browserModule: HostModule {
    HostModule(
      "browser", "Where an authorization URL goes.",
      notes: """
        Where the user signs in: the desktop's browser (`"system"`), any browser with the address pasted back
        (`"terminal"`), a window of our own (`"webview"`), or none (`"headless"`). [Agents](Agents.md) tells them apart.
        """,
      [browserOpen, browserShow, browserProblem, browserRedirectProblem],
      fields: [Parameter("agents", .list(of: .string), "The names of the agents.")]
    ) { [self] name, _ in name == "agents" ? list(registry.agents.names) : .nil }
  }

  private var browserOpen: HostFunction {
    .suspending(
      "browser.open", "Goes to a URL and waits for the redirect.",
      [
        Parameter("url", .string, "The authorization URL."),
        .options(
          [Parameter("redirect_uri", .string, optional: true, "Where it ends; that of the URL if not given.")]
            + AgentChoice.keys),
      ], returns: [.init(.string, "The redirect URL with its parameters.")]
    ) { [self] arguments in
      let context = try flowContext()
      let url = arguments.string(0)
      let redirectURI =
        try arguments["redirect_uri"].string ?? WebAddress(url).field("redirect_uri")
        ?? context.redirectURI()
      let choice = try agentChoice(arguments, context)
      let request = navigation(to: url, redirectURI: redirectURI, choice, context.settings)
      return [.string(try await go(request, by: agent(choice, redirectURI: redirectURI, for: request, context)))]
    }
  }

  private var browserShow: HostFunction {
    .suspending(
      "browser.show",
      "Shows the user a URL that leads to no redirect, as in the device flow. The system's browser is opened there, a "
        + "terminal shows it; the headless agent fills in what it finds, to the last page.",
      [
        Parameter("url", .string, "The URL."),
        .options(
          [Parameter("code", .string, optional: true, "What the user is to type in there.")] + AgentChoice.keys),
      ], returns: [.init(.string, "Where it ended.")]
    ) { [self] arguments in
      let context = try flowContext()
      let choice = try agentChoice(arguments, context)
      var request = navigation(to: arguments.string(0), redirectURI: nil, choice, context.settings)
      request.code = arguments["code"].string
      return [.string(try await go(request, by: agent(choice, redirectURI: nil, for: request, context)))]
    }
  }

  // MARK: Parts of these

  /// Ends at the redirect. Where a page names an error of B2C, what to do about that is known.
  private func go(_ request: NavigationRequest, by agent: any UserAgent) async throws -> String {
    do { return try await RequestScope.asBrowser { try await agent.open(request) } } catch var error as UserAgentError {
      error.hint = AADB2CError.hint(for: error.code) ?? error.hint
      throw error
    }
  }

  private func agentChoice(_ arguments: Arguments, _ context: FlowContext) throws -> AgentChoice {
    var choice = FlowContext.current?.agent ?? AgentChoice()
    if FlowContext.current == nil { choice.kind = try standardAgent(context.settings) }
    try choice.merge(arguments.options, arguments, registry)
    return choice
  }

  /// Where nobody names an agent: the system's browser, if the provider may send it back to this machine; else the
  /// terminal. Without a browser the former asks at the terminal, too, and says how one elsewhere comes back.
  func standardAgent(_ settings: Settings) throws -> AgentChoice.Kind {
    let canComeBack = (try? settings.redirectURL).map(LoopbackListener.canListen) ?? false
    if SystemAgent.browserProblem(environment) == nil {
      return tenant != nil || canComeBack ? .system : .terminal
    }
    return canComeBack && isatty(STDIN_FILENO) == 1 ? .system : .terminal
  }

  func navigation(
    to url: String, redirectURI: String?, _ choice: AgentChoice, _ settings: Settings
  ) -> NavigationRequest {
    var request = NavigationRequest(
      url: url, redirectURI: redirectURI, authURL: settings.authURL, loginURL: settings.loginURL,
      timeout: choice.timeout, username: choice.username, password: choice.password)
    request.policy = Settings.policy(ofURL: url)
    if choice.otp != nil { request.otp = { try await choice.oneTimeCode() } }
    if let name = choice.session { request.cookies = cookies(ofSession: name) }
    if let handler = choice.onNavigate { request.onNavigate = { [self] in try await decision(handler, $0, $1) } }
    if let handler = choice.onPage {
      request.onPage = { [self] page in
        _ = try await call(handler, [.object(LuaPage(page))], as: "on_page", page.title)
      }
    }
    return request.emitting(to: automation.events, agent: choice.kind.rawValue)
  }

  /// The cookies of one name, kept as long as the run.
  func cookies(ofSession name: String) -> CookieJar {
    if let jar = sessions[name] { return jar }
    let jar = CookieJar()
    sessions[name] = jar
    return jar
  }

  func agent(
    _ choice: AgentChoice, redirectURI: String?, for request: NavigationRequest, _ context: FlowContext
  ) throws -> any UserAgent {
    let terminal = TerminalAgent(
      write: { [console] in console.write($0) }, readLine: { [pastedLines] in try await pastedLines() },
      screen: { TerminalScreen(of: STDERR_FILENO) })
    if case .lua(let function)? = registry.agents[choice.kind.rawValue] {
      return LuaUserAgent(choice.kind.rawValue, function)
    }
    switch choice.kind {
    case .headless: return HeadlessAgent(http: context.client.http)
    case .terminal: return terminal
    case .webview:
      try context.client.http.admit(url: request.url)
      return WebViewAgent(
        environment: environment, caFile: configuration.caFile, session: try webViewSession(choice))
    default:
      // What stands in an address gets to where that leads.
      try context.client.http.admit(url: request.url)
      return SystemAgent(
        listener: try redirectURI.flatMap { try listener($0, context) }, terminal: terminal,
        environment: environment)
    }
  }

  private var environment: [String: String] { ProcessInfo.processInfo.environment }

  /// The cookies that the window has; nil when it keeps none.
  func webViewSession(_ choice: AgentChoice) throws -> WebViewSession? {
    guard choice.kind == .webview else { return nil }
    return try choice.session.map { try WebViewSession($0, environment: environment) }
  }

  /// Nil for a redirect URI such as `urn:ietf:wg:oauth:2.0:oob`, for which the agent takes what is pasted.
  private func listener(_ redirectURI: String, _ context: FlowContext) throws -> LoopbackListener? {
    guard LoopbackListener.canListen(on: redirectURI) else { return nil }
    if context.agent.kind == .system, try context.redirectURI() == redirectURI { return try context.listener() }
    return try LoopbackListener(redirectURI: redirectURI)
  }

  private func decision(
    _ handler: LuaFunction, _ url: String, _ kind: NavigationKind
  ) async throws -> NavigationDecision {
    let answer = try await call(handler, [.string(url), .string(kind.rawValue)], as: "on_navigate", kind.rawValue)
    if answer.isNil { return .show }
    guard let decision = answer.string.flatMap(NavigationDecision.init) else {
      throw LuaError(
        code: "invalid_argument",
        message:
          "on_navigate: expected \"show\", \"hide\" or \"stop\", got \(answer.string.map { "\"\($0)\"" } ?? answer.typeName)"
      )
    }
    return decision
  }
}
