/// One thing that `b2c-run conform` tries at a provider, a client or an API, as data. The targets of the three subjects
/// add the probe, which tries it.
package struct Check: Sendable {
  /// `provider.code.once`: the subject, the topic, the check.
  package let id: String
  /// At most 60 characters.
  package let title: String
  /// The action of the check: `redeems a code a second time`.
  package let action: String
  package let rule: Rule
  package let profiles: Set<Profile>
  /// The features that the subject must have: `introspection_endpoint`.
  package var needs: [String]
  package let danger: Danger
  /// The same test elsewhere: `oidf:oidcc-codereuse`.
  package var peers: [String]
  /// The topic: the wrong party, the meaning of a failure, and the advice.
  package let topic: Topic

  /// - Parameter name: the last part of the ID.
  package init(
    _ topic: Topic, _ name: String, _ title: String, _ action: String, _ rule: Rule, _ profiles: Set<Profile>? = nil,
    needs: [String] = [], danger: Danger? = nil, peers: [String] = []
  ) {
    self.topic = topic
    id = "\(topic.id).\(name)"
    self.title = title
    self.action = action
    self.rule = rule
    self.profiles = profiles ?? topic.profiles
    self.needs = needs
    self.danger = danger ?? topic.danger
    self.peers = peers
  }

  /// The part of the ID before the first dot.
  package var subject: Subject { Subject(rawValue: String(id.prefix { $0 != "." })) ?? .provider }
}

/// The party that is judged.
package enum Subject: String, Sendable, CaseIterable {
  case provider, client, api, mcp

  /// The party with its article: `an API`.
  package var noun: String {
    switch self {
    case .provider, .client: "a \(rawValue)"
    case .api: "an API"
    case .mcp: "an MCP server"
    }
  }
}

/// The party that is wrong if a check fails.
package enum Party: String, Sendable {
  case provider, client, configuration
  case api = "API"
  case server = "MCP server"
  /// A limit of this program.
  case program = "this program"
}

/// The rule of a standard, in one sentence of our own.
package struct Rule: Sendable {
  package enum Level: String, Sendable, CaseIterable, Comparable {
    case may, should, must

    package static func < (one: Level, other: Level) -> Bool { one.rank < other.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  package let level: Level
  package let text: String
  /// The standard and the section: `RFC 7636, 4.6`.
  package let source: String

  package static func must(_ text: String, _ source: String) -> Rule { Rule(level: .must, text: text, source: source) }
  package static func should(_ text: String, _ source: String) -> Rule {
    Rule(level: .should, text: text, source: source)
  }
  package static func may(_ text: String, _ source: String) -> Rule { Rule(level: .may, text: text, source: source) }
}

/// A set of rules that a deployment may promise to keep.
package enum Profile: String, Sendable, CaseIterable {
  case oauth21 = "oauth2.1"
  case oidc, fapi2
  case fapi2MessageSigning = "fapi2-message-signing"
  case mcp, b2c
  case externalID = "external_id"
}

extension Set<Profile> {
  package static let all = Set(Profile.allCases)
  /// Every profile of OAuth. OpenID Connect is one of them.
  package static let oauth: Set = all
  /// The profiles with an ID token.
  package static let openID: Set<Profile> = [.oidc, .b2c, .externalID]
  package static let fapi: Set<Profile> = [.fapi2, .fapi2MessageSigning]
}

/// The effect of a check on the accounts and the application of a provider.
package enum Danger: String, Sendable, CaseIterable {
  /// Reads what everybody may read.
  case passive
  /// Signs the user in, or uses the tokens of a sign-in.
  case signIn = "sign-in"
  /// Looks like an attack on the account or the client: the provider may lock one of them.
  case mayLock = "may lock"
}

/// Checks about one thing: they share the party that is wrong, the meaning for a user, and the advice.
package struct Topic: Sendable {
  /// `provider.code`
  package let id: String
  package let title: String
  package let profiles: Set<Profile>
  package let danger: Danger
  package let culprit: Party
  /// The meaning of a failed check for a user.
  package let meaning: String
  /// The change that mends it: in general, then by product (`B2C`, `External ID`, `Entra`).
  package let advice: [(product: String, text: String)]

  package init(
    _ id: String, _ title: String, _ profiles: Set<Profile> = .oauth, danger: Danger = .signIn, wrong culprit: Party,
    means meaning: String, change advice: KeyValuePairs<String, String>
  ) {
    self.id = id
    self.title = title
    self.profiles = profiles
    self.danger = danger
    self.culprit = culprit
    self.meaning = meaning
    self.advice = advice.map { (product: $0.key, text: $0.value) }
  }
}
