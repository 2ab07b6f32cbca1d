import Core
import HostLoop
import TaskAPI

/// Gives tokens in order: the next one each time the last was refused.
@HostActor
final class StubTokens: TokenProvider {
  private var tokens: [Secret]
  private(set) var rejections = 0

  nonisolated init(_ tokens: String...) {
    self.tokens = tokens.map { Secret($0).shared() }
  }

  func token(afterRejected rejected: Secret?) -> Secret {
    if rejected != nil {
      rejections += 1
      if tokens.count > 1 { tokens.removeFirst() }
    }
    return tokens[0]
  }
}
