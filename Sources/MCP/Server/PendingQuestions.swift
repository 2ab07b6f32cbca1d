import Crypto
import JSON
import Synchronization

/// The questions of calls that ended with "input required". Each is for one session, one tool with its arguments and one message,
/// and is answered once.
final class PendingQuestions: Sendable {
  private struct Question {
    let call: Call
    let key: String
    let message: String
    let end: ContinuousClock.Instant
  }

  /// The part of a call that the second request has to repeat.
  struct Call: Equatable {
    let session: String
    let principal: String?
    let tool: String
    let arguments: [String: JSON]
  }

  private static let longest = Duration.seconds(15 * 60)
  private static let most = 1000

  private let questions = Mutex<[String: Question]>([:])

  /// Keeps a question. Returns the state that the client sends back.
  func keep(_ question: MCPQuestion, of call: Call) -> String {
    let token = SecureRandom.token()
    let now = ContinuousClock.now
    questions.withLock { questions in
      questions = questions.filter { $0.value.end > now }
      if questions.count >= Self.most, let oldest = questions.min(by: { $0.value.end < $1.value.end }) {
        questions[oldest.key] = nil
      }
      questions[token] = Question(call: call, key: question.key, message: question.message, end: now + Self.longest)
    }
    return token
  }

  /// Takes the question that a state stands for. Returns its message and its name; nil for a state that was never given, is used or
  /// too old, or belongs to another call.
  func take(_ token: String, for call: Call) -> (key: String, message: String)? {
    questions.withLock { questions in
      guard let question = questions[token], question.call == call, question.end > .now else { return nil }
      questions[token] = nil
      return (question.key, question.message)
    }
  }
}
