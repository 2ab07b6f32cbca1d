import Conform

extension ClientCheck {
  /// All checks of a client, by topic.
  package static let all: [ClientCheck] =
    requestHabits + tokenHabits + tokenUse + AnswerLies.all + IDTokenLies.all + signatureLies + keyLies
    + MetadataLies.all
    + TokenLies.all
    + ErrorLies.all
    + MCPLies.all + MCPHabits.all
}
