package import Core
package import HTTPClient
import HostLoop

/// One trip through the authorization endpoint and the pages behind it.
package struct NavigationRequest: Sendable {
  /// The authorization URL, https or on loopback.
  package var url: String
  /// Where the trip ends: scheme, host, port and path must be these exactly. Nil where the application gets no redirect,
  /// as with a device code (RFC 8628): the address is shown, or its pages gone through until nothing is left to fill in.
  package var redirectURI: String?
  /// The policy of Azure AD B2C that `url` names, for the person to see; nil for none.
  package var policy: String?
  /// What the person has to enter there, shown beside the address: the user code of RFC 8628.
  package var code: String?
  /// Whether nobody has to do anything there, as at a sign-out: a window stays hidden, and ends with the first page.
  package var isUnattended = false
  /// The settings' `authURL`, an authorization endpoint besides that of `url`.
  package var authURL: String?
  /// The settings' `loginURL`.
  package var loginURL: String?
  /// Seconds for the whole trip.
  package var timeout: Double
  /// What the headless agent fills in.
  package var username: String?
  package var password: Secret?
  /// The one-time code a page asks the headless agent for; called once for each such page.
  package var otp: (@HostActor @Sendable () async throws -> String)?
  /// The headless agent's session; nil for one of its own, so that one user's sign-in leaves nothing for the next.
  package var cookies: CookieJar?
  /// Told each address before it is gone to.
  package var onNavigate: (@HostActor @Sendable (_ url: String, NavigationKind) async throws -> NavigationDecision)?
  /// Given each page of the headless agent, to fill and submit. A page it leaves alone is filled as without it.
  package var onPage: (@HostActor @Sendable (HeadlessPage) async throws -> Void)?
  /// Told of each page that a window of our own has before it.
  package var onTitle: (@HostActor @Sendable (TitledPage) -> Void)?

  package init(
    url: String, redirectURI: String?, code: String? = nil, authURL: String? = nil, loginURL: String? = nil,
    timeout: Double = 300, username: String? = nil, password: Secret? = nil,
    otp: (@HostActor @Sendable () async throws -> String)? = nil, cookies: CookieJar? = nil,
    onNavigate: (@HostActor @Sendable (String, NavigationKind) async throws -> NavigationDecision)? = nil,
    onPage: (@HostActor @Sendable (HeadlessPage) async throws -> Void)? = nil
  ) {
    self.url = url
    self.redirectURI = redirectURI
    self.code = code
    self.authURL = authURL
    self.loginURL = loginURL
    self.timeout = timeout
    self.username = username
    self.password = password
    self.otp = otp
    self.cookies = cookies
    self.onNavigate = onNavigate
    self.onPage = onPage
  }

  /// What an address is in this trip.
  package func kind(of url: String) -> NavigationKind {
    guard let address = Address(url) else { return .other }
    if let redirectURI, address == Address(redirectURI) { return .redirect }
    if address == Address(self.url) || address == authURL.flatMap({ Address($0) }) { return .authorize }
    if let loginURL, address == Address(loginURL) { return .login }
    return .other
  }
}

/// A page in a window of our own.
package struct TitledPage: Sendable {
  package var url: String
  package var title: String
  /// Of the answer it came with; 0 where that is not known.
  package var status: Int
}

/// The tutorial's four cases.
package enum NavigationKind: String, Sendable {
  case authorize, login, redirect, other
}

/// What is to happen with an address: whether the window with it is seen. Where there is no window of our own, `hide` is the same as `show`.
package enum NavigationDecision: String, Sendable {
  case show, hide, stop
}
