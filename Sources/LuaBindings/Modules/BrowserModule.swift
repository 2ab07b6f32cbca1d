import HostLoop
import Lua
import Secrets
import Settings
import UserAgents

extension ScriptHost {
  var browserModule: HostModule {
    HostModule("browser", "Where an authorization URL goes.", [browserOpen])
  }

  /// What a sign-in and `browser.open` say of the agent.
  nonisolated static let agentKeys: [Parameter] = [
    Parameter(
      "agent", .either([.choice(AgentChoice.names), .object("agent")]), optional: true,
      "\"terminal\" prints the URL and takes the pasted redirect URL or code; \"headless\" fetches pages and fills forms."
    ),
    Parameter("username", .string, optional: true, "What the headless agent fills in."),
    Parameter("password", .secret, optional: true, "What the headless agent fills in."),
    Parameter(
      "on_navigate", .function, optional: true,
      "Called with each URL and its kind: \"authorize\", \"login\", \"redirect\" or \"other\"; may return \"show\", \"hide\" or \"stop\"."
    ),
    Parameter("on_page", .function, optional: true, "Called with each page of the headless agent."),
    Parameter("timeout", .number, optional: true, "Seconds until the sign-in is given up; 300 if not given."),
  ]

  private var browserOpen: HostFunction {
    .suspending(
      "browser.open", "Goes to a URL and waits for the redirect.",
      [
        Parameter("url", .string, "The authorization URL."),
        .options(
          [Parameter("redirect_uri", .string, optional: true, "Where it ends; that of the settings if not given.")]
            + Self.agentKeys),
      ], returns: [.init(.string, "The redirect URL with its parameters.")]
    ) { [self] arguments in
      let settings = try settings()
      var choice = AgentChoice()
      if case .object(let object) = arguments["agent"], let given = object as? LuaAgent { choice = given.choice }
      try choice.merge(arguments.options, arguments)
      var request = NavigationRequest(
        url: arguments.string(0), redirectURI: try arguments["redirect_uri"].string ?? settings.redirectURL,
        authURL: settings.authURL, loginURL: settings.loginURL, timeout: choice.timeout, username: choice.username,
        password: choice.password)
      if let handler = choice.onNavigate { request.onNavigate = { try await Self.decision(handler, $0, $1) } }
      if let handler = choice.onPage { request.onPage = { _ = try await handler.call([.object(LuaPage($0))]) } }
      return [.string(try await agent(choice).open(request))]
    }
  }

  private func agent(_ choice: AgentChoice) -> any UserAgent {
    switch choice.kind {
    case .headless: HeadlessAgent(http: http)
    case .terminal:
      TerminalAgent(write: { [console] in console.write($0) }, readLine: { try await LineInput.standard.line() })
    }
  }

  private static func decision(
    _ handler: LuaFunction, _ url: String, _ kind: NavigationKind
  ) async throws -> NavigationDecision {
    let answer = try await handler.call([.string(url), .string(kind.rawValue)]).first ?? .nil
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
