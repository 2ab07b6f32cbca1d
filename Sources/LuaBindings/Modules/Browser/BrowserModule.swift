import Automation
import Core
import HostLoop
import Lua
import Settings
import UserAgents

/// `b2c.browser`
struct BrowserModule: LuaModule {
  unowned let host: ScriptHost

  var module: HostModule {
    HostModule(
      "browser", "Where an authorization URL goes.",
      notes: """
        Where the user signs in: the desktop's browser (`"system"`), any browser with the address pasted back
        (`"terminal"`), a window of our own (`"webview"`), or none (`"headless"`). [Agents](Agents.md) tells them apart.
        """, [open, show, problem, redirectProblem],
      fields: [Parameter("agents", .list(of: .string), "The names of the agents.")]
    ) { [host] name, _ in name == "agents" ? host.list(host.registry.agents.names) : .nil }
  }

  private var open: HostFunction {
    .suspending(
      "browser.open", "Goes to a URL and waits for the redirect.",
      [
        Parameter("url", .string, "The authorization URL."),
        .options(
          [Parameter("redirect_uri", .string, optional: true, "Where it ends; that of the URL if not given.")]
            + AgentChoice.keys),
      ], returns: [.init(.string, "The redirect URL with its parameters.")]
    ) { [self] arguments in
      let context = try host.automation.flowContext()
      let url = arguments.string(0)
      let redirectURI =
        try arguments["redirect_uri"].string ?? WebAddress(url).field("redirect_uri")
        ?? context.redirectURI()
      let choice = try agentChoice(arguments, context)
      return [.string(try await host.automation.agents.open(url, redirectURI: redirectURI, by: choice, context))]
    }
  }

  private var show: HostFunction {
    .suspending(
      "browser.show",
      "Shows the user a URL that leads to no redirect, as in the device flow. The system's browser is opened there, a "
        + "terminal shows it; the headless agent fills in what it finds, to the last page.",
      [
        Parameter("url", .string, "The URL."),
        .options([Parameter("code", .string, optional: true, "What the user is to type in there.")] + AgentChoice.keys),
      ], returns: [.init(.string, "Where it ended.")]
    ) { [self] arguments in
      let context = try host.automation.flowContext()
      let choice = try agentChoice(arguments, context)
      return [
        .string(
          try await host.automation.agents.open(
            arguments.string(0), redirectURI: nil, code: arguments["code"].string, by: choice, context))
      ]
    }
  }

  private func agentChoice(_ arguments: Arguments, _ context: FlowContext) throws -> AgentChoice {
    var choice = context.agent
    if FlowContext.current == nil { choice.kind = host.automation.agents.standard(context.settings) }
    try choice.merge(arguments.options, arguments, host)
    return choice
  }

  private var problem: HostFunction {
    HostFunction(
      "browser.problem", "What an agent lacks here, a browser, or a window of its own, and what to do.",
      [
        Parameter(
          "agent", .choice(["system", "terminal", "webview"]), optional: true, "Which one; \"system\" if not given.")
      ], returns: [.init(.record(.error), optional: true, "An error, not raised; nil when it lacks nothing.")]
    ) { [host] arguments in
      let environment = host.automation.agents.environment
      let problem: UserAgentError? =
        switch arguments[0].string {
        case "webview": WebViewAgent.problem(environment)
        case "terminal": TerminalAgent.problem
        default: SystemAgent.browserProblem(environment)
        }
      return [problem.map { host.state.errorObject($0) } ?? .nil]
    }
  }

  private var redirectProblem: HostFunction {
    HostFunction(
      "browser.redirect_problem",
      "Why a browser cannot come back to this machine at a redirect URI: it leads elsewhere, or its port is taken.",
      [Parameter("redirect_uri", .string, optional: true, "That of the settings if not given.")],
      returns: [.init(.record(.error), optional: true, "An error, not raised; nil when it can.")]
    ) { [host] arguments in
      let redirectURI = try arguments[0].string ?? host.automation.flowContext().settings.redirectURL
      do throws(UserAgentError) {
        try LoopbackListener(redirectURI: redirectURI).close()
        return [.nil]
      } catch {
        return [host.state.errorObject(error)]
      }
    }
  }
}
