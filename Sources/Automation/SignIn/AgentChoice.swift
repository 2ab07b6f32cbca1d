package import Core
import HostLoop
package import UserAgents

/// The agent of a sign-in, and what it fills in.
package struct AgentChoice: Sendable {
  /// An agent's name.
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static let system = Kind(rawValue: "system")
    package static let terminal = Kind(rawValue: "terminal")
    package static let headless = Kind(rawValue: "headless")
    package static let webview = Kind(rawValue: "webview")
    /// The agents that ship with the program.
    package static let native = [system, terminal, headless, webview]
  }

  package var kind = Kind.terminal
  package var username: String?
  package var password: Secret?
  /// Gives a one-time code; called each time that a page asks for one.
  package var otp: (@HostActor @Sendable () async throws -> String)?
  /// The name of the agent's cookies, kept by the headless one during the run, by the window beyond it; nil to keep none.
  package var session: String?
  package var onNavigate: (@HostActor @Sendable (String, NavigationKind) async throws -> NavigationDecision)?
  package var onPage: (@HostActor @Sendable (HeadlessPage) async throws -> Void)?
  package var timeout = 300.0

  package init() {}
}
