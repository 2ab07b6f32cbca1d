import Automation
import Core
import HostLoop
package import Lua
package import LuaKit
import OAuth
import Settings
import UserAgents

/// `b2c.browser`
package struct BrowserModule: LuaModule {
  let signIns: ScriptSignIns

  package init(_ signIns: ScriptSignIns) { self.signIns = signIns }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "browser", "Agents, which open URLs for the user.",
      notes: """
        The agent determines the place where the user signs in: the desktop's browser (`"system"`), any browser with the
        address pasted back (`"terminal"`), a window of b2c-run (`"webview"`), or no window (`"headless"`).
        The page [Agents](Agents.md) compares them.
        """, functions, fields: [Parameter("agents", .list(of: .string), "The names of the agents.")]
    ) { [signIns] name, _ in name == "agents" ? signIns.context.list(signIns.agents.names) : .nil }
  }

  package static let functions: [ModuleFunction<Self>] = [open, show, problem, redirectProblem]

  private static let open = suspending(
    "browser.open", "Opens a URL and waits for the redirect.", Parameter("url", .string, "The authorization URL."),
    options: OpenOptions.keys, returns: .init(.string, "The redirect URL with its parameters.")
  ) { module, arguments in
    let attempt = try module.signIns.attempt()
    let url = arguments.string(0)
    let options = try OpenOptions(arguments)
    let redirectURI =
      try options.redirectURI ?? WebAddress(url).field("redirect_uri")
      ?? attempt.authorization?.redirectURI ?? attempt.redirectURI()
    let choice = try module.agentChoice(options.agent, arguments, attempt)
    return [
      .string(try await module.signIns.context.run.agents.open(url, redirectURI: redirectURI, by: choice, attempt))
    ]
  }

  private static let show = suspending(
    "browser.show",
    "Shows a URL to the user and expects no redirect, as in the device flow. The agent system opens the "
      + "browser, terminal prints the URL, and headless fills in each form until the last page.",
    Parameter("url", .string, "The URL."),
    options: ShowOptions.keys,
    returns: .init(.string, "The URL of the last page.")
  ) { module, arguments in
    let attempt = try module.signIns.attempt()
    let options = try ShowOptions(arguments)
    let choice = try module.agentChoice(options.agent, arguments, attempt)
    return [
      .string(
        try await module.signIns.context.run.agents.open(
          arguments.string(0), redirectURI: nil, code: options.code, by: choice, attempt))
    ]
  }

  private struct OpenOptions: LuaOptions {
    var redirectURI: String?
    var agent = AgentOptions()

    static let fields =
      [Field("redirect_uri", \.redirectURI, "The redirect URI; from the URL if not given.")]
      + Field.nested(AgentOptions.fields, in: \.agent)
  }

  private struct ShowOptions: LuaOptions {
    var code: String?
    var agent = AgentOptions()

    static let fields =
      [Field("code", \.code, "The code for the user to enter.")] + Field.nested(AgentOptions.fields, in: \.agent)
  }

  private func agentChoice(
    _ options: AgentOptions, _ arguments: Arguments, _ attempt: SignInAttempt
  ) throws -> AgentChoice {
    var choice = attempt.agent
    if LuaFlowContext.current == nil { choice.kind = signIns.context.run.agents.standard(attempt.settings) }
    return try options.merged(into: choice, arguments, signIns)
  }

  private static let problem = function(
    "browser.problem", "The reason why an agent does not work here, such as a missing browser, and the remedy.",
    .optional("agent", .choice(["system", "terminal", "webview"]), "The agent; \"system\" if not given."),
    returns: .init(.record(.error), optional: true, "An error, not raised; nil if the agent works.")
  ) { module, arguments in
    let environment = module.signIns.context.run.agents.environment
    let problem: UserAgentError? =
      switch arguments[0].string {
      case "webview": WebViewAgent.problem(environment)
      case "terminal": TerminalAgent.problem
      default: SystemAgent.browserProblem(environment)
      }
    return [problem.map { module.signIns.context.state.errorObject($0) } ?? .nil]
  }

  private static let redirectProblem = function(
    "browser.redirect_problem",
    "The reason why a redirect URI cannot reach this machine: it has another host, or its port is in use.",
    .optional("redirect_uri", .string, "The redirect URI; from the settings if not given."),
    returns: .init(.record(.error), optional: true, "An error, not raised; nil if the redirect URI works.")
  ) { module, arguments in
    let redirectURI = try arguments[0].string ?? module.signIns.attempt().settings.redirectURL
    do throws(UserAgentError) {
      try LoopbackListener(redirectURI: redirectURI).close()
      return [.nil]
    } catch {
      return [module.signIns.context.state.errorObject(error)]
    }
  }
}
