package import Conform
package import JSON
package import Parties

/// The sign-in of one client at one provider.
package struct MatrixCell: Sendable {
  package let provider: PartyProfile
  package let client: PartyProfile
  /// The first thing that breaks; nil if the sign-in works.
  package let obstacle: Obstacle?

  /// `works`, or the party that is wrong: `provider`, `client`, `configuration`, `this program`.
  package var word: String { obstacle?.culprit.rawValue ?? "works" }
}

/// The first thing that breaks in a sign-in.
package struct Obstacle: Error {
  /// One sentence.
  package let text: String
  package let culprit: Party
  /// The section of a standard that the wrong party breaks; nil if both may do what they do.
  package let rule: String?
  package let providerHabit: PartyProfile.Habit?
  package let clientHabit: PartyProfile.Habit?

  /// Blames the party whose habit breaks a standard: the provider first, then the client. Where neither does, a setting of
  /// one of the two has to follow the other.
  init(_ text: String, provider: PartyProfile.Habit?, client: PartyProfile.Habit?) {
    self.text = text
    providerHabit = provider
    clientHabit = client
    if let rule = provider?.breaks {
      (culprit, self.rule) = (.provider, rule)
    } else if let rule = client?.breaks {
      (culprit, self.rule) = (.client, rule)
    } else {
      (culprit, rule) = (provider == nil && client == nil ? .program : .configuration, nil)
    }
  }
}

extension MatrixCell {
  /// The cell for programs.
  package var json: JSON {
    var members: [String: JSON] = [
      "provider": .string(provider.name), "client": .string(client.name), "works": .bool(obstacle == nil),
    ]
    guard let obstacle else { return .object(members) }
    members["obstacle"] = .string(obstacle.text)
    members["wrong"] = .string(obstacle.culprit.rawValue)
    members["rule"] = obstacle.rule.map(JSON.string)
    members["provider_habit"] = obstacle.providerHabit?.json
    members["client_habit"] = obstacle.clientHabit?.json
    return .object(members)
  }
}

extension PartyProfile.Habit {
  fileprivate var json: JSON {
    ["name": .string(name), "text": .string(text), "source": .string(source), "date": .string(date)]
  }
}
