/// The settings this program knows, by the names they have in a file.
package enum SettingsKey: String, CaseIterable, Sendable {
  case accountIdentifier, clientID, clientSecret, authURL, loginURL, redirectURL, tokenURL, keychain, contentType,
    taskAPI
  case scopes, policies, authority, issuer, logoutURL, tasksPath, customHeaders, additionalParameters, tokenType, vault
  case clientAuthentication, clientKey, clientAssertionAudience, clientCertificate, clientCertificateKey
  case postLogoutRedirectURL, kind, profile
  case metadataURL, clientIDDocument
  case service, services, store

  /// The form of a value.
  package enum Kind {
    case text
    case secret
    /// Absolute; https, or http to this machine.
    case endpoint
    /// Absolute; also a scheme of an application's own, or `urn:ietf:wg:oauth:2.0:oob`.
    case redirect
    case path
    /// A file of this machine, or `stored:NAME` for a key of the account store.
    case key
    case mediaType
    /// One of several words.
    case choice([String])
    /// A list of strings, or one string of words between spaces or commas.
    case words
    /// Strings by name.
    case strings
    /// The address of a database, without a password.
    case database
    /// Options of task services, by the names of the services.
    case services
  }

  /// The setting of that name. `bhh` is the tutorial's name for the redirect URI.
  package init?(name: String) {
    if name == "bhh" { self = .redirectURL } else { self.init(rawValue: name) }
  }

  /// Every name a setting goes by.
  package static var names: [String] { allCases.map(\.rawValue) + ["bhh"] }

  /// The settings that are addresses to connect to.
  package static let endpoints: [SettingsKey] = [
    .authURL, .loginURL, .tokenURL, .taskAPI, .authority, .logoutURL, .metadataURL,
  ]

  /// Stands in front of the name of a key that `jose.key.save` stored.
  package static let storedKeyPrefix = "stored:"

  /// True if the setting has a value when none is given.
  package var hasDefault: Bool {
    switch self {
    case .scopes, .tasksPath, .contentType, .tokenType: true
    default: false
    }
  }

  package var kind: Kind { facts.kind }

  /// True if `--set KEY.NAME=VALUE` sets one of its values.
  var hasParts: Bool {
    switch kind {
    case .strings, .services: true
    default: false
    }
  }

  /// The value that belongs there, for "put … there".
  package var meaning: String { facts.meaning }

  /// The meaning as a sentence. A value at its beginning keeps its letters.
  package var sentence: String {
    let text = meaning.hasSuffix(",") ? String(meaning.dropLast()) : meaning
    if case .choice(let values) = kind, values.contains(where: text.hasPrefix) { return "\(text)." }
    return "\(text.prefix(1).uppercased())\(text.dropFirst())."
  }

  private var facts: (kind: Kind, meaning: String) {
    switch self {
    case .accountIdentifier: (.text, "the account type of sign-ins, such as \"B2C\"")
    case .clientID: (.text, "your application's client ID")
    case .clientSecret: (.secret, "your application's client secret, or nothing if it has none")
    case .authURL: (.endpoint, "the URL of your tenant's authorization endpoint")
    case .loginURL: (.endpoint, "the URL of the page where users sign in")
    case .redirectURL: (.redirect, "the redirect URI that is registered for your application")
    case .tokenURL: (.endpoint, "the URL of your tenant's token endpoint")
    case .keychain: (.text, "the name of a group of accounts that scripts share")
    case .contentType:
      (
        .mediaType,
        "the content type of new tasks (application/x-www-form-urlencoded, application/json or multipart/form-data)"
      )
    case .taskAPI: (.endpoint, "the URL of your task API")
    case .scopes: (.words, "the scopes to request")
    case .policies: (.strings, "the names of your policies (signIn, signUp, reset, edit, ropc, mfa)")
    case .authority: (.endpoint, "the URL of your tenant, such as https://contoso.b2clogin.com/contoso.onmicrosoft.com")
    case .metadataURL:
      (
        .endpoint,
        "the URL of your provider's metadata document, such as https://example.com/.well-known/oauth-authorization-server"
      )
    case .clientIDDocument:
      (.endpoint, "the URL of your application's client ID metadata document, which is its client ID")
    case .issuer: (.text, "the issuer of your tenant (the claim iss of its tokens)")
    case .logoutURL: (.endpoint, "the URL of your tenant's logout endpoint")
    case .tasksPath: (.path, "the path of the tasks under the task API, such as /api/tasks")
    case .customHeaders: (.strings, "a table of header fields for the token endpoint and the task API")
    case .additionalParameters: (.strings, "a table of parameters for the authorization endpoint")
    case .tokenType: (.text, "the type of the access token, such as Bearer")
    case .vault:
      (.choice(["automatic", "secret_service", "key_file"]), "one of automatic, secret_service and key_file")
    case .clientAuthentication:
      (
        .choice([
          "none", "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt",
          "tls_client_auth",
          "self_signed_tls_client_auth",
        ]),
        "one of none, client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt, tls_client_auth and "
          + "self_signed_tls_client_auth"
      )
    case .clientKey: (.key, "the file of your application's private key (PEM or JWK), or stored:NAME")
    case .clientCertificate: (.key, "the file of your application's certificate (PEM)")
    case .clientCertificateKey: (.key, "the file of the certificate's private key (PEM or JWK), or stored:NAME")
    case .clientAssertionAudience:
      (
        .choice(["issuer", "endpoint"]), "issuer, or endpoint for a provider that expects its endpoint's address in aud"
      )
    case .kind:
      (
        .choice(ProviderKind.allCases.map(\.rawValue)),
        "external_id for Microsoft Entra External ID, or b2c for Azure AD B2C"
      )
    case .profile:
      (
        .choice(SecurityProfile.allCases.map(\.rawValue)),
        "oauth2.1 or fapi2, the profile that all sign-ins keep to,"
      )
    case .service: (.text, "the name of the task service that keeps your tasks, such as caldav")
    case .services: (.services, "a table of the options of each task service, such as url and list")
    case .store: (.database, "the address of a PostgreSQL database, such as postgresql://b2c@db.example.com/b2c")
    case .postLogoutRedirectURL:
      (.redirect, "the registered URL to which the browser returns after the sign-out")
    }
  }
}
