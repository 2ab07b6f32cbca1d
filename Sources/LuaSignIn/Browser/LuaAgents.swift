import Accounts
import Automation
import Core
import HTTPClient
import HostLoop
package import Lua
import LuaKit
import UserAgents

/// The options of a sign-in and of `browser.open` about the agent.
struct AgentOptions: LuaOptions {
  private var agent = LuaValue.nil
  private var username: String?
  private var password: Secret?
  private var otp = LuaValue.nil
  private var session: String?
  private var onNavigate: LuaFunction?
  private var onPage: LuaFunction?
  private var timeout: Double?

  static let fields: [Field] = [
    .init(
      "agent", \.agent, .either([.openChoice(AgentChoice.Kind.native.map(\.rawValue)), .object("agent")]),
      "\"system\" opens the browser; \"terminal\" prints the URL and accepts the pasted redirect URL or code; "
        + "\"headless\" fetches pages and fills in forms; \"webview\" opens a window of b2c-run; any other name is "
        + "an agent of a plugin. If not given: \"system\" if a browser can return to the redirect URI, else "
        + "\"terminal\"."
    ) { value, _ in value },
    .init("username", \.username, "The user name for the headless agent and for flows without pages."),
    .init("password", \.password, "The password for the headless agent and for flows without pages."),
    .init(
      "otp", \.otp, .either([.string, .functionReturning(.init(.secret, "The code."))]),
      "The one-time code for the headless agent, or a function that returns the code."
    ) { value, _ in value },
    .init(
      "session", \.session,
      "The name under which the agent keeps its cookies. \"headless\" keeps them during this run, \"webview\" "
        + "until accounts.sign_out with the option everywhere."),
    .init(
      "on_navigate", \.onNavigate,
      .callback(
        [
          Parameter("url", .string, "The URL."),
          Parameter("kind", .choice(["authorize", "login", "redirect", "other"]), "The kind of the URL."),
        ], returns: [.init(.choice(["show", "hide", "stop"]), optional: true, "The action; show if nil.")]),
      "Called before each URL is opened. The results show and hide are for the window of \"webview\"; stop "
        + "ends the sign-in."),
    .init(
      "on_page", \.onPage, .callback([Parameter("page", .object("page"), "The page.")]),
      "Called with each page of the headless agent. If it neither submits the page nor follows a link, the "
        + "agent handles the page."),
    .init(
      "timeout", \.timeout, .number, in: -0x1p53...1e6, "The time limit in seconds; 300 if not given."
    ) { value, place in
      guard let seconds = value.number, seconds > 0 else {
        throw place.failure("expected seconds above zero, got \(value.number ?? 0)")
      }
      return seconds
    },
  ]

  /// The agent of these options, where they say something, and of `choice` where they do not.
  @HostActor func merged(
    into choice: AgentChoice, _ arguments: Arguments, _ signIns: ScriptSignIns
  ) throws(LuaError) -> AgentChoice {
    var choice = choice
    if let name = agent.string {
      let agents = signIns.agents
      guard agents[name] != nil else {
        throw arguments.failure(
          option: "agent",
          "expected one of \(agents.names.map { "\"\($0)\"" }.joined(separator: ", ")) or agent, got \"\(name)\"",
          hint: nearestName(to: name, in: agents.names).map { "did you mean \"\($0)\"?" })
      }
      choice.kind = AgentChoice.Kind(rawValue: name)
    }
    if let agent = agent.object(LuaAgent.self) { choice = agent.choice }
    choice.username = username ?? choice.username
    choice.password = password ?? choice.password
    if !otp.isNil { choice.otp = { [otp] in try await AgentChoice.oneTimeCode(otp) } }
    choice.session = session ?? choice.session
    if let onNavigate {
      choice.onNavigate = { [weak signIns] in
        guard let signIns else { throw AccountError.runEnded }
        return try await AgentChoice.decision(of: onNavigate, $0, $1, signIns)
      }
    }
    if let onPage {
      choice.onPage = { [weak signIns] page in
        guard let signIns else { throw AccountError.runEnded }
        _ = try await signIns.session.events.call(onPage, [.object(LuaPage(page))], as: "on_page", page.title)
      }
    }
    choice.timeout = timeout ?? choice.timeout
    return choice
  }
}

extension AgentChoice {
  /// The one-time code, from a function that is called each time.
  @HostActor fileprivate static func oneTimeCode(_ given: LuaValue) async throws -> String {
    var value = given
    if let function = value.function { value = try await function.call([]).first ?? .nil }
    guard let code = value.asSecret?.reveal() else {
      throw LuaError(
        code: "invalid_argument", message: "otp: the function returned a \(value.typeName), expected the one-time code")
    }
    return code
  }

  @HostActor fileprivate static func decision(
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
