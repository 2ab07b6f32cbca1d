import JSON
import Parties

extension PartyProfile {
  /// The habit of the metadata that a claim is compared with.
  func habit(deciding claim: String) -> Habit? {
    claim == "iss" ? habit(changing: .metadata, "issuer") : nil
  }

  /// The habit that changes this member of a message; nil if none does.
  func habit(changing part: MessagePart, _ name: String) -> Habit? {
    habits.first { habit in
      habit.effects.contains { effect in
        switch (effect, part) {
        case (.metadata(let changes), .metadata), (.callback(let changes), .callback),
          (.token(_, let changes), .token), (.token(_, let changes), .refresh), (.claims(let changes), .claims),
          (.userinfo(let changes), .userinfo):
          changes[name] != nil
        default: false
        }
      }
    }
  }
}

extension PartyProfile.Habit {
  var skipsMetadata: Bool { effects.contains { if case .skipsMetadata = $0 { true } else { false } } }
  var asksUserinfo: Bool { effects.contains { if case .asksUserinfo = $0 { true } else { false } } }
  var refreshes: Bool { effects.contains { if case .refreshes = $0 { true } else { false } } }

  /// True if the habit decides one of these parameters.
  func sets(_ parameters: Set<String>) -> Bool {
    effects.contains { effect in
      switch effect {
      case .authorize(let changes), .tokenRequest(_, let changes): !parameters.isDisjoint(with: changes.keys)
      case .authentication: !parameters.isDisjoint(with: ["client_secret", "Authorization", "client authentication"])
      default: false
      }
    }
  }
}
