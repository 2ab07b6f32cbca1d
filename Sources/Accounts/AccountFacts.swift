import JSON

/// The facts that decide where the tokens of an account go, how they are renewed and whose they are. The columns with these facts are
/// in the clear, and whoever may write to the database could change them. The facts are sealed together with the tokens,
/// and tokens are used only with the facts they were sealed with.
struct AccountFacts: Sendable, Equatable {
  /// The facts by their columns.
  private let members: [String: JSON]

  init(_ json: JSON) { members = json.object ?? [:] }

  init(
    _ identity: AccountIdentity, name: String, claims: JSON, requestedScopes: String, provider: JSON, grantType: String,
    agent: String?, session: String?, refreshFlow: String?, isProven: Bool
  ) {
    var members: [String: JSON] = [
      "issuer": .string(identity.issuer), "subject": .string(identity.subject),
      "account_type": .string(identity.accountType), "name": .string(name), "claims": claims,
      "requested_scopes": .string(requestedScopes), "provider": provider, "grant_type": .string(grantType),
      "given_subject": .bool(!isProven),
    ]
    members["policy"] = identity.policy.map { .string($0) }
    members["agent"] = agent.map { .string($0) }
    members["session"] = session.map { .string($0) }
    members["refresh_flow"] = refreshFlow.map { .string($0) }
    self.members = members
  }

  var json: JSON { .object(members) }
  var name: String { members["name"]?.string ?? "" }

  /// The columns that differ from those of other facts, in their order.
  func columns(otherThan others: AccountFacts) -> [String] {
    Set(members.keys).union(others.members.keys).filter { members[$0] != others.members[$0] }.sorted()
  }
}

extension AccountRow {
  var facts: AccountFacts {
    AccountFacts(
      identity, name: name, claims: claims, requestedScopes: requestedScopes.joined(separator: " "), provider: provider,
      grantType: grantType, agent: agent, session: session, refreshFlow: refreshFlow, isProven: isProven)
  }
}
