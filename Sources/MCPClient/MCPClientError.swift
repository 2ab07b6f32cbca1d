package import Core

/// Why a server of the Model Context Protocol gave no result.
package typealias MCPClientError = DomainError<MCPClientProblem>

/// The kinds of `MCPClientError`.
package enum MCPClientProblem: String, FailureKind {
  /// The server answered with an error of JSON-RPC. `details` has its code as `rpc_code`.
  case serverError = "server_error"
  /// The server answered with another status of HTTP than 200.
  case status = "http_status"
  /// The answer is not a message of the protocol, or it ends too early.
  case malformed = "malformed_answer"
  /// The answer is larger than the limit.
  case tooLarge = "too_large"
  /// The server speaks no version that this program knows.
  case version = "unsupported_version"
  /// The server asks the person, and nothing here answers.
  case question = "question_unanswered"
  /// The server asks again and again.
  case rounds = "too_many_questions"
}
