import HTTPClient
import HostLoop
import Lua
import UserAgents

/// An agent written in Lua.
@HostActor
final class LuaUserAgent: UserAgent {
  private let name: String
  private let function: LuaFunction

  init(_ name: String, _ function: LuaFunction) {
    self.name = name
    self.function = function
  }

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
