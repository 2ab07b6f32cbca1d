import HostLoop
import Lua
import Secrets

/// Which agent a sign-in uses, and what it fills in.
struct AgentChoice: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case terminal, headless
  }

  static let names = Kind.allCases.map(\.rawValue)

  var kind = Kind.terminal
  var username: String?
  var password: Secret?
  var onNavigate: LuaFunction?
  var onPage: LuaFunction?
  var timeout = 300.0

  /// Takes over what `options` says of the agent.
  mutating func merge(_ options: [String: LuaValue], _ arguments: Arguments) throws(LuaError) {
    if let name = options["agent"]?.string, let kind = Kind(rawValue: name) { self.kind = kind }
    if case .object(let object)? = options["agent"], let agent = object as? LuaAgent { self = agent.choice }
    if let name = options["username"]?.string { username = name }
    if let secret = options["password"]?.asSecret { password = secret }
    if let function = options["on_navigate"]?.function { onNavigate = function }
    if let function = options["on_page"]?.function { onPage = function }
    if let seconds = options["timeout"]?.number {
      guard seconds > 0 else {
        throw arguments.failure("option 'timeout': expected seconds above zero, got \(seconds)")
      }
      timeout = seconds
    }
  }
}

/// `ctx.agent`: what `browser.open { agent = ctx.agent }` goes with. The password in it stays out of the flow's sight.
final class LuaAgent: LuaObject {
  let choice: AgentChoice

  init(_ choice: AgentChoice) { self.choice = choice }

  static let luaType = HostType(
    "agent", "The agent of a sign-in, for browser.open.",
    describe: { object in (object as? LuaAgent).map { "agent \($0.choice.kind.rawValue)" } ?? "agent" })
}
