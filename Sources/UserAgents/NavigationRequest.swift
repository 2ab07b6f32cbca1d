package import Core
package import HTTPClient
package import HostLoop

/// One trip through the authorization endpoint and the pages behind it.
package struct NavigationRequest: Sendable {
  /// The authorization URL, https or on loopback.
  package var url: String
  /// The end of the trip: scheme, host, port and path must be these exactly. Nil when the application gets no redirect,
  /// as with a device code (RFC 8628): the address is shown, or its pages gone through until nothing is left to fill in.
  package var redirectURI: String?
  package var answer = Answer()
  /// The policy of Azure AD B2C that `url` names, for the person to see; nil for none.
  package var policy: String?
  /// The user code of RFC 8628, which the person has to enter there; shown beside the address.
  package var code: String?
  /// True if nobody has to do anything there, as at a sign-out: a window stays hidden, and ends with the first page.
  package var isUnattended = false
  /// The settings' `authURL`, an authorization endpoint besides that of `url`.
  package var authURL: String?
  /// The settings' `loginURL`.
  package var loginURL: String?
  /// Seconds for the whole trip.
  package var timeout: Double
  /// The user name that the headless agent fills in.
  package var username: String?
  /// The password that the headless agent fills in.
  package var password: Secret?
  /// Gives the one-time code that a page asks the headless agent for; called once for each such page.
  package var otp: (@HostActor @Sendable () async throws -> String)?
  /// The headless agent's session; nil for one of its own, so that one user's sign-in leaves nothing for the next.
  package var cookies: CookieJar?
  /// Hears of each address before the trip goes there.
  package var onNavigate: (@HostActor @Sendable (_ url: String, NavigationKind) async throws -> NavigationDecision)?
  /// Gets each page of the headless agent, to fill and submit. A page it leaves alone is filled as without it.
  package var onPage: (@HostActor @Sendable (HeadlessPage) async throws -> Void)?
  /// Hears of each page that a window of our own shows.
  package var onTitle: (@HostActor @Sendable (TitledPage) -> Void)?

  /// The demands on the redirect.
  package struct Answer: Sendable {
    /// The state that the redirect must have; nil for any.
    package var state: String?
    /// False if the redirect must also name the issuer (`iss`, RFC 9207): a code alone does not answer the request.
    package var takesCode = true
  }

  package init(
    url: String, redirectURI: String?, code: String? = nil, authURL: String? = nil, loginURL: String? = nil,
    timeout: Double = 300, username: String? = nil, password: Secret? = nil
  ) {
    self.url = url
    self.redirectURI = redirectURI
    answer.state = WebAddress(url).field("state")
    self.code = code
    self.authURL = authURL
    self.loginURL = loginURL
    self.timeout = timeout
    self.username = username
    self.password = password
  }

  /// The role of an address in this trip.
  package func kind(of url: String) -> NavigationKind {
    guard let address = Address(url) else { return .other }
    if let redirectURI, address == Address(redirectURI) { return .redirect }
    if address == Address(self.url) || address == authURL.flatMap({ Address($0) }) { return .authorize }
    if let loginURL, address == Address(loginURL) { return .login }
    return .other
  }

  func checkStart() throws(UserAgentError) {
    guard !Address.isSafe(url) else { return }
    throw UserAgentError(
      .insecureURL, "the sign-in starts at \(Address.shown(url)), which is neither https nor on this machine",
      hint: "check authURL in the settings")
  }

  /// Asks `onNavigate` about an address before the trip goes there.
  @HostActor @discardableResult func decide(on url: String) async throws -> NavigationDecision {
    let decision = try await onNavigate?(url, kind(of: url)) ?? .show
    guard decision == .stop else { return decision }
    throw UserAgentError(.stopped, "the sign-in was stopped by on_navigate at \(Address.shown(url))")
  }

  func insecure(_ url: String) -> UserAgentError {
    UserAgentError(
      .insecureURL,
      "the sign-in leads to \(Address.shown(url)), which is neither https, nor on this machine, nor the redirect URI\(redirectURI.map { " \($0)" } ?? "")",
      hint: "check redirectURL in the settings, and what is registered for the application")
  }
}

/// A page in a window of our own.
package struct TitledPage: Sendable {
  package var url: String
  package var title: String
  /// The status of the response; 0 when it is not known.
  package var status: Int
}

/// The tutorial's four cases.
package enum NavigationKind: String, Sendable { case authorize, login, redirect, other }

/// `hide` hides the window that shows the address; without a window of our own it is the same as `show`.
package enum NavigationDecision: String, Sendable { case show, hide, stop }

/// An agent that opens authorization URLs: a person's browser, or a program that stands in for one.
@HostActor
package protocol UserAgent: Sendable {
  /// Goes to the address and returns the redirect with its parameters. The redirect URI itself is never requested.
  /// - Throws: `UserAgentError`, `HTTPError`, `CancellationError`, or what a callback threw.
  func open(_ request: NavigationRequest) async throws -> String
}
