import Conform

extension ClientCheck {
  /// All checks of a client, by topic.
  package static let all: [ClientCheck] =
    requestHabits + tokenHabits + tokenUse + answerLies + idTokenLies + signatureLies + keyLies + metadataLies + tokenLies
    + errorLies
}
