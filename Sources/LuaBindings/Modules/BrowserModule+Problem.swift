import FoundationEssentials
import HostLoop
import Lua
import Settings
import UserAgents

/// Whether an agent can do its work here, found out before a sign-in.
extension ScriptHost {
  var browserProblem: HostFunction {
    HostFunction(
      "browser.problem",
      "What an agent lacks here, a browser, or a window of its own, and what to do.",
      [
        Parameter(
          "agent", .choice(["system", "terminal", "webview"]), optional: true, "Which one; \"system\" if not given.")
      ],
      returns: [.init(.record(.error), optional: true, "An error, not raised; nil when it lacks nothing.")]
    ) { [state] arguments in
      let environment = ProcessInfo.processInfo.environment
      let problem: UserAgentError? =
        switch arguments[0].string {
        case "webview": WebViewAgent.problem(environment)
        case "terminal": TerminalAgent.problem
        default: SystemAgent.browserProblem(environment)
        }
      return [problem.map { state.errorObject($0) } ?? .nil]
    }
  }

  var browserRedirectProblem: HostFunction {
    HostFunction(
      "browser.redirect_problem",
      "Why a browser cannot come back to this machine at a redirect URI: it leads elsewhere, or its port is taken.",
      [Parameter("redirect_uri", .string, optional: true, "That of the settings if not given.")],
      returns: [.init(.record(.error), optional: true, "An error, not raised; nil when it can.")]
    ) { [self] arguments in
      let redirectURI = try arguments[0].string ?? flowContext().settings.redirectURL
      do throws(UserAgentError) {
        try LoopbackListener(redirectURI: redirectURI).close()
        return [.nil]
      } catch { return [state.errorObject(error)] }
    }
  }
}
