/// The settings this program knows, by the names they have in a file.
package enum SettingsKey: String, CaseIterable, Sendable {
  case accountIdentifier, clientID, clientSecret, authURL, loginURL, redirectURL, tokenURL, keychain, contentType,
    taskAPI
  case scopes, policies, authority, issuer, logoutURL, tasksPath, customHeaders, additionalParameters, tokenType, vault
  case clientAuthentication, postLogoutRedirectURL

  /// What a value must be.
  package enum Kind {
    case text
    case secret
    /// Absolute; https, or http to this machine.
    case endpoint
    /// Absolute; also a scheme of an application's own, or `urn:ietf:wg:oauth:2.0:oob`.
    case redirect
    case path
    case mediaType
    /// One of several words.
    case choice([String])
    /// A list of strings, or one string of words between spaces or commas.
    case words
    /// Strings by name.
    case strings
  }

  /// The setting of that name. `bhh` is the tutorial's name for the redirect URL.
  package init?(name: String) {
    if name == "bhh" { self = .redirectURL } else { self.init(rawValue: name) }
  }

  /// Every name a setting goes by.
  package static var names: [String] { allCases.map(\.rawValue) + ["bhh"] }

  /// Those that are addresses to connect to.
  package static let endpoints: [SettingsKey] = [.authURL, .loginURL, .tokenURL, .taskAPI, .authority, .logoutURL]

  package var kind: Kind {
    switch self {
    case .accountIdentifier, .clientID, .issuer, .keychain, .tokenType: .text
    case .clientSecret: .secret
    case .authURL, .loginURL, .tokenURL, .taskAPI, .authority, .logoutURL: .endpoint
    case .redirectURL, .postLogoutRedirectURL: .redirect
    case .tasksPath: .path
    case .contentType: .mediaType
    case .vault: .choice(["automatic", "secret_service", "key_file"])
    case .clientAuthentication: .choice(["none", "client_secret_basic", "client_secret_post"])
    case .scopes: .words
    case .policies, .customHeaders, .additionalParameters: .strings
    }
  }

  /// The kinds of client authentication that a provider may name and this program does not know (RFC 7521, RFC 8705).
  static let unsupportedClientAuthentication = [
    "client_secret_jwt", "private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth",
  ]

  /// Whether there is a value where none is given.
  package var hasDefault: Bool {
    switch self {
    case .scopes, .tasksPath, .contentType, .tokenType: true
    default: false
    }
  }

  /// What belongs there, for "put … there".
  package var meaning: String {
    switch self {
    case .accountIdentifier: "a name for the kind of account, such as \"B2C\""
    case .clientID: "your application's client ID"
    case .clientSecret: "your application's client secret, or nothing if it has none"
    case .authURL: "the URL of your tenant's authorize endpoint"
    case .loginURL: "the URL of the page where users sign in"
    case .redirectURL: "the redirect URL that is registered for your application"
    case .tokenURL: "the URL of your tenant's token endpoint"
    case .keychain: "a name under which sign-ins are kept and shared"
    case .contentType: "application/x-www-form-urlencoded, application/json or multipart/form-data"
    case .taskAPI: "the URL of your task API"
    case .scopes: "the scopes to ask for"
    case .policies: "the names of your policies (signIn, signUp, reset, edit, ropc, mfa)"
    case .authority: "the URL of your tenant, such as https://contoso.b2clogin.com/contoso.onmicrosoft.com"
    case .issuer: "the issuer your tenant names in its tokens (iss)"
    case .logoutURL: "the URL of your tenant's logout endpoint"
    case .tasksPath: "the path of the tasks under the task API, such as /api/tasks"
    case .customHeaders: "header fields by name"
    case .additionalParameters: "request parameters by name"
    case .tokenType: "the type of the access token, such as Bearer"
    case .vault: "automatic, secret_service or key_file"
    case .clientAuthentication: "none, client_secret_basic or client_secret_post"
    case .postLogoutRedirectURL: "the redirect URI where the browser goes after signing out, as it is registered"
    }
  }
}
