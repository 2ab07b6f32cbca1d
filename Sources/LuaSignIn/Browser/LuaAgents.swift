import Automation
import Core
import HTTPClient
import HostLoop
package import Lua
import LuaKit
import UserAgents

extension AgentChoice {
  /// The options of a sign-in and of `browser.open` about the agent.
  static let keys: [Parameter] = [
    .optional(
      "agent", .either([.openChoice(Kind.native.map(\.rawValue)), .object("agent")]),
      "\"system\" opens the browser; \"terminal\" prints the URL and accepts the pasted redirect URL or code; "
        + "\"headless\" fetches pages and fills in forms; \"webview\" opens a window of b2c-run; any other name is "
        + "an agent of a plugin. If not given: \"system\" if a browser can return to the redirect URI, else "
        + "\"terminal\"."),
    .optional("username", .string, "The user name for the headless agent and for flows without pages."),
    .optional("password", .secret, "The password for the headless agent and for flows without pages."),
    .optional(
      "otp", .either([.string, .functionReturning(.init(.secret, "The code."))]),
      "The one-time code for the headless agent, or a function that returns the code."),
    .optional(
      "session", .string,
      "The name under which the agent keeps its cookies. \"headless\" keeps them during this run, \"webview\" "
        + "until accounts.sign_out with the option everywhere."),
    .optional(
      "on_navigate",
      .callback(
        [
          Parameter("url", .string, "The URL."),
          Parameter("kind", .choice(["authorize", "login", "redirect", "other"]), "The kind of the URL."),
        ], returns: [.init(.choice(["show", "hide", "stop"]), optional: true, "The action; show if nil.")]),
      "Called before each URL is opened. The results show and hide are for the window of \"webview\"; stop "
        + "ends the sign-in."),
    .optional(
      "on_page", .callback([Parameter("page", .object("page"), "The page.")]),
      "Called with each page of the headless agent. If it neither submits the page nor follows a link, the "
        + "agent handles the page."),
    .optional("timeout", .number, in: -0x1p53...1e6, "The time limit in seconds; 300 if not given."),
  ]

  @HostActor mutating func merge(_ options: [String: LuaValue], _ arguments: Arguments, _ signIns: ScriptSignIns)
    throws(LuaError)
  {
    if let name = options["agent"]?.string {
      let agents = signIns.agents
      guard agents[name] != nil else {
        throw arguments.failure(
          option: "agent",
          "expected one of \(agents.names.map { "\"\($0)\"" }.joined(separator: ", ")) or agent, got \"\(name)\"",
          hint: nearestName(to: name, in: agents.names).map { "did you mean \"\($0)\"?" })
      }
      kind = Kind(rawValue: name)
    }
    if let agent = options["agent"]?.object(LuaAgent.self) { self = agent.choice }
    if let name = options["username"]?.string { username = name }
    if let secret = options["password"]?.asSecret { password = secret }
    if let code = options["otp"] { otp = { try await Self.oneTimeCode(code) } }
    if let name = options["session"]?.string { session = name }
    if let function = options["on_navigate"]?.function {
      onNavigate = { [unowned signIns] in try await Self.decision(of: function, $0, $1, signIns) }
    }
    if let function = options["on_page"]?.function {
      onPage = { [unowned signIns] page in
        _ = try await signIns.session.events.call(function, [.object(LuaPage(page))], as: "on_page", page.title)
      }
    }
    if let seconds = options["timeout"]?.number {
      guard seconds > 0 else {
        throw arguments.failure(option: "timeout", "expected seconds above zero, got \(seconds)")
      }
      timeout = seconds
    }
  }

  /// The one-time code, from a function that is called each time.
  @HostActor private static func oneTimeCode(_ given: LuaValue) async throws -> String {
    var value = given
    if let function = value.function { value = try await function.call([]).first ?? .nil }
    guard let code = value.asSecret?.reveal() else {
      throw LuaError(
        code: "invalid_argument", message: "otp: the function returned a \(value.typeName), expected the one-time code")
    }
    return code
  }

  @HostActor private static func decision(
    of handler: LuaFunction, _ url: String, _ kind: NavigationKind, _ signIns: ScriptSignIns
  ) async throws -> NavigationDecision {
    let answer = try await signIns.session.events.call(
      handler, [.string(url), .string(kind.rawValue)], as: "on_navigate", kind.rawValue)
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

/// `ctx.agent`: what `browser.open { agent = ctx.agent }` goes with. The password in it stays out of the flow's sight.
package final class LuaAgent: LuaObject {
  let choice: AgentChoice

  init(_ choice: AgentChoice) { self.choice = choice }

  package static let luaType = HostType(
    "agent", "The agent of a sign-in, for browser.open.",
    properties: [
      property("kind", .string, "system, terminal, headless, webview, or a plugin's agent.") {
        .string($0.choice.kind.rawValue)
      }
    ], describe: { object in (object as? LuaAgent).map { "agent \($0.choice.kind.rawValue)" } ?? "agent" })
}

struct LuaUserAgent: UserAgent {
  let name: String
  let function: LuaFunction

  /// Calls the function with the URL and `{ redirect_uri, code, username, password, timeout }`.
  func open(_ request: NavigationRequest) async throws -> String {
    let options = LuaValue.record([
      ("redirect_uri", .string(request.redirectURI)), ("code", .string(request.code)),
      ("username", .string(request.username)), ("password", .secret(request.password)),
      ("timeout", .number(request.timeout)),
    ])
    let answer = try await TimeLimit.run(seconds: request.timeout) { [function] in
      try await function.call([.string(request.url), options]).first ?? .nil
    }
    guard let answer else {
      throw UserAgentError(
        .timeout, "the agent \(name) was not done after \(formatSeconds(request.timeout))",
        hint: "give it more time: timeout = \(LuaNumber.text(request.timeout * 2))")
    }
    guard let url = answer.string else {
      throw LuaError(
        code: "invalid_agent",
        message:
          "the agent \(name) returned \(answer.isNil ? "nothing" : "a \(answer.typeName)"), expected the redirect URL")
    }
    return url
  }
}
