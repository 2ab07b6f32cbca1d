import JSON

/// The local tenant's only directory. Its identifiers never change, so saved settings stay valid.
enum Contoso {
  static let domain = "contoso.onmicrosoft.com"
  static let id = "0a7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e40"

  /// The API that is the resource `https://contoso.onmicrosoft.com/tasks/…`.
  static let tasksAPI = "e1f0b3a4-2c77-4b0e-8c19-6d8f0a5b7c21"
  /// Microsoft Graph, for which External ID issues an access token if no scope names another API.
  static let graph = "00000003-0000-0000-c000-000000000000"
  static let taskScopes = ["read", "write"].map { taskScopePrefix + $0 }
  static let taskScopePrefix = "https://\(domain)/tasks/"
  /// The scope that stands for all roles assigned to an application at the task API.
  static let defaultTaskScope = taskScopePrefix + ".default"
  /// The role that allows an application to read and write its own tasks. The confidential client has it.
  static let taskRole = "Tasks.ReadWrite.All"

  static let policies = [
    Policy(name: "b2c_1_susi", kind: .combined, purpose: "sign up or sign in"),
    Policy(name: "b2c_1_signin", kind: .signIn, purpose: "sign in"),
    Policy(name: "b2c_1_signup", kind: .signUp, purpose: "sign up"),
    Policy(name: "b2c_1_reset", kind: .reset, purpose: "reset a forgotten password"),
    Policy(name: "b2c_1_edit", kind: .edit, purpose: "edit one's profile"),
    Policy(name: "b2c_1_ropc", kind: .ropc, purpose: "sign in at the token endpoint, with a password"),
    Policy(name: "b2c_1_mfa", kind: .mfa, purpose: "sign up or sign in, with a second factor"),
  ]

  /// The user flow of External ID, which has no name in addresses.
  static let userFlow = Policy(name: "", kind: .combined, purpose: "sign up or sign in")

  static func policy(_ name: some StringProtocol) -> Policy? {
    let name = name.lowercased()
    return policies.first { $0.name == name }
  }

  /// The names under `policies` in a client's settings.
  static let policyRoles = [
    ("signIn", "b2c_1_susi"), ("signUp", "b2c_1_signup"), ("reset", "b2c_1_reset"), ("edit", "b2c_1_edit"),
    ("ropc", "b2c_1_ropc"), ("mfa", "b2c_1_mfa"),
  ]

  static func isTenant(_ name: some StringProtocol) -> Bool {
    let name = name.lowercased()
    return name == domain || name == id
  }

  static let applications = [
    Application(id: "9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093", name: "Local tasks app", secret: nil),
    Application(
      id: "b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b", name: "Local web app", secret: "local-secret-of-the-web-app"),
    keyApplication,
  ]

  static let publicApplication = applications[0]
  static let confidentialApplication = applications[1]

  static func application(_ id: String) -> Application? { applications.first { $0.id == id.lowercased() } }

  /// - Throws: `unknown_application`.
  static func registeredApplication(_ id: String) throws(TenantError) -> Application {
    if let application = application(id) { return application }
    throw TenantError(
      code: "unknown_application", message: "the local tenant has no application \(id)",
      hint: "its applications are " + applications.map(\.id).joined(separator: " and "))
  }

  static let seeds = [
    (username: "alice", email: "alice@contoso.example", password: "Wonderland-1", displayName: "Alice Liddell"),
    (username: "bob", email: "bob@contoso.example", password: "Skyscraper-2", displayName: "Bob Baumeister"),
  ]
}

/// A user flow of the directory: its kind and the name that clients use for it.
struct Policy: Hashable, Sendable {
  enum Kind: String, Sendable, CaseIterable {
    /// The user signs in or signs up.
    case combined
    case signIn, signUp
    /// The user sets a new password in place of a forgotten one.
    case reset
    /// The user edits their display name.
    case edit
    /// Resource owner password credentials (RFC 6749 §4.3): this policy has the token endpoint and no pages.
    case ropc
    /// Like `combined`, with a second factor for all users.
    case mfa
  }

  /// The name in the claim `tfp`, whose letter case does not depend on the request.
  let name: String
  let kind: Kind
  /// The purpose, as printed in the banner.
  let purpose: String
}

/// An application that is registered in the tenant's directory.
package struct Application: Sendable {
  /// `client_id`.
  package let id: String
  /// The name on the pages.
  package let name: String
  /// `client_secret`, a published secret for tests; nil for a public client (RFC 6749 §2.1).
  package let secret: String?
  /// The only method of authentication; nil for an application of Contoso, which sends its secret either way.
  package var method: ClientMethod?
  /// The public keys of its assertions, as JSON Web Keys.
  var keys: [JSON] = []
  /// The redirect URIs besides those that every application has.
  var redirectURIs: [String] = []
  /// All metadata of a registered application, with its secrets.
  var metadata: JSON = .null

  /// True if the application can prove who it is.
  var isConfidential: Bool { secret != nil || method == .keyJWT || method?.isCertificate == true }

  /// Returns true if the tenant may redirect to this URI: a loopback host with any port and path (RFC 8252 §7.3), a
  /// redirect URI of native apps, or a custom scheme named after the client.
  func allows(redirectURI: String) -> Bool {
    if Self.outOfBand.contains(redirectURI) || redirectURIs.contains(redirectURI) { return true }
    guard StrictURI.isWellFormed(redirectURI) else { return false }
    return redirectPrefixes.contains(where: redirectURI.hasPrefix) || LoopbackURI(redirectURI) != nil
  }

  var redirectPrefixes: [String] { ["msal\(id)://auth", "com.onmicrosoft.contoso.tasks://"] }

  static let outOfBand = ["urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob:auto"]
}
