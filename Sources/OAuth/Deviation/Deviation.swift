/// One thing that a client does wrong, to see if the provider refuses it; for `b2c-run experiment --deviations`.
package struct Deviation: Sendable {
  /// The identifier in results: `wrong_verifier`.
  package let name: String
  /// The deviation in a few words.
  package let title: String
  let needs: [SignInFacts.Need]
  let act: Act
  private let rule: Rule
  /// The rule for a client whose refresh tokens are bound to its authentication or its key; nil for the same rule.
  private var ruleOfBoundClients: Rule?

  /// The rule of a standard about the deviation.
  package struct Rule: Sendable {
    package enum Level: String, Sendable { case must, should, may }

    package let level: Level
    /// Who has to refuse it, and what.
    package let text: String
    /// The standard and the section: `RFC 7636, 4.6`.
    package let source: String

    static func must(_ text: String, _ source: String) -> Rule { Rule(level: .must, text: text, source: source) }
    static func should(_ text: String, _ source: String) -> Rule { Rule(level: .should, text: text, source: source) }
    static func may(_ text: String, _ source: String) -> Rule { Rule(level: .may, text: text, source: source) }
  }

  /// The place where the sign-in deviates.
  enum Act: Sendable {
    /// Changes the authorization request. The redirect tells if the provider refuses it.
    case authorization(@Sendable (inout FormFields) -> Void)
    /// The same, but the client has to refuse the result.
    case client(@Sendable (inout FormFields) -> Void)
    /// Changes the authorization request, or the token request of the code.
    case exchange(
      authorization: (@Sendable (inout FormFields) -> Void)?,
      token: (@Sendable (inout FormFields, SignInFacts) -> Void)?)
    /// Changes the proof of each token request.
    case proof(@Sendable (inout JWTDraft) -> Void)
    /// Changes each client assertion.
    case assertion(@Sendable (inout JWTDraft) -> Void)
    /// Sends further requests after a token response, or after the response to a pushed request.
    case afterwards(DeviationRun.FurtherRequests)
    /// Opens the authorization URL a second time.
    case reopening
  }

  init(
    _ name: String, _ title: String, _ needs: [SignInFacts.Need], _ rule: Rule, boundClients: Rule? = nil, _ act: Act
  ) {
    self.name = name
    self.title = title
    self.needs = needs
    self.rule = rule
    ruleOfBoundClients = boundClients
    self.act = act
  }

  /// The rule that applies to a client that signs in like this.
  package func rule(for facts: SignInFacts) -> Rule {
    guard let ruleOfBoundClients, !facts.isPublic || facts.has(.proof) else { return rule }
    return ruleOfBoundClients
  }

  /// True if this program, not the provider, has to refuse the deviation.
  package var isForClient: Bool { if case .client = act { true } else { false } }

  /// Why the deviation cannot happen in a sign-in like this: `no DPoP`; nil if it can.
  package func obstacle(_ facts: SignInFacts) -> String? { needs.first { !facts.has($0) }?.rawValue }
}

/// The features that a sign-in uses.
package struct SignInFacts: Sendable {
  /// A feature. The raw value says that the sign-in does not use it.
  package enum Need: String, Sendable {
    case authorization = "no authorization request"
    case state = "no state"
    case nonce = "no nonce"
    case code = "no code"
    case challenge = "no PKCE with S256"
    case redirectURI = "no redirect_uri at the token endpoint"
    case proof = "no DPoP"
    case assertion = "no client assertion"
    case pushed = "no pushed request"
    case refreshToken = "no refresh token"
    case userinfo = "no userinfo endpoint"
    case publicClient = "a confidential client"
  }

  private var features: Set<Need> = []
  /// The challenge of the authorization request, for a sender who has no verifier.
  var challenge: String?

  package init() {}

  /// True if the client does not authenticate.
  var isPublic: Bool { features.contains(.publicClient) }
  /// True if the sign-in made a request to the provider.
  package var isAtProvider: Bool { !features.isEmpty }

  package func has(_ need: Need) -> Bool { features.contains(need) }

  mutating func note(_ need: Need, _ isThere: Bool = true) {
    if isThere { features.insert(need) }
  }
}

/// The fields of a form or of a query.
struct FormFields: Sendable {
  private(set) var list: [(String, String)]

  init(_ list: [(String, String)]) { self.list = list }

  /// The first value of the name. Nil removes the field.
  subscript(_ name: String) -> String? {
    get { list.first { $0.0 == name }?.1 }
    set {
      guard let newValue else { return list.removeAll { $0.0 == name } }
      if let index = list.firstIndex(where: { $0.0 == name }) {
        list[index].1 = newValue
      } else {
        list.append((name, newValue))
      }
    }
  }
}
