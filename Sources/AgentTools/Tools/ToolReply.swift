import AgentRecords
import JSON
import MCP

/// The reply of a tool, for the agent and for the log.
struct ToolReply: Sendable {
  var text: String
  var data: JSON?
  /// Why the call did not do what it should; nil if it did.
  var problem: String?
  var outcome = "ok"
  var digest: String?
  var approvedBy: String?

  init(_ text: String, data: JSON? = nil) {
    self.text = text
    self.data = data
  }

  /// A reply with data that a tool has found.
  init(data: JSON) {
    text = ToolText.data(data.encoded())
    self.data = data
  }

  /// A change that nobody has approved yet.
  init(waiting request: ApprovalRequest) {
    text = """
      Nothing was done: a person has to approve this change first. Ask the person to run this in another terminal:

      b2c-run mcp approve \(request.shortDigest)

      Then make the same call again, within an hour.
      """
    data = ["state": "waiting", "digest": .string(request.digest)]
    outcome = "waits"
    digest = request.digest
  }

  /// A change that somebody has declined.
  init(declined digest: String, by person: String) {
    text = "Nothing was done: \(person) has declined the change."
    data = ["state": "declined", "digest": .string(digest)]
    problem = "declined by \(person)"
    outcome = "refused"
    self.digest = digest
  }

  /// A change that another call at the same time was for.
  init(answered digest: String) {
    text = "Nothing was done: another call at the same time got the answer for this change."
    data = ["state": "answered", "digest": .string(digest)]
    problem = "another call got the answer"
    outcome = "refused"
    self.digest = digest
  }

  var result: MCPResult { MCPResult(problem.map { "\($0)\n\n\(text)" } ?? text, data: data, isError: problem != nil) }
}
