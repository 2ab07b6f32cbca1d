import FoundationEssentials
import HostLoop
import Lua
import Settings
import UserAgents

/// Whether the agent "system" can do its work here, found out before a sign-in.
extension ScriptHost {
  var browserProblem: HostFunction {
    HostFunction(
      "browser.problem", "Why the agent \"system\" cannot open a browser here, and what to do.",
      returns: [.init(.record(.error), optional: true, "An error, not raised; nil when it can.")]
    ) { [state] _ in
      let problem = SystemAgent.browserProblem(ProcessInfo.processInfo.environment)
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
