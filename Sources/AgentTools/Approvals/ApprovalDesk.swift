import AgentRecords
import Core
import HostLoop
import JSON
import MCP

/// The approvals of persons for changes. Each is for one change by its digest, for one session, and is used once.
@HostActor
final class ApprovalDesk {
  /// A change, as a person sees it.
  struct Change {
    let digest: String
    /// A sentence without a period.
    let title: String
    let text: String
  }

  enum Verdict {
    /// Says who.
    case approved(String)
    case declined(String)
    /// Another call for the same change got the answer.
    case answered
    case waits(ApprovalRequest)
  }

  private struct Key: Hashable {
    let session: String
    let digest: String
  }

  private static let most = 50
  private static let pause = 0.2

  private let approvals: Approvals
  private let asksClient: Bool
  private var requests: [Key: ApprovalRequest] = [:]

  /// - Parameter asksClient: true if the answer of the client's person counts, too.
  init(_ folder: AgentFolder, asksClient: Bool) {
    approvals = Approvals(folder)
    self.asksClient = asksClient
  }

  /// Asks for an approval of the change. An approval that comes back is used up: a second call asks again.
  /// - Parameter seconds: to wait for a person elsewhere.
  func verdict(on change: Change, for call: MCPCall, waiting seconds: Double) async throws -> Verdict {
    let key = Key(session: call.caller.session, digest: change.digest)
    let request = try request(for: change, key, call.caller)
    if let verdict = try take(request, key) { return verdict }
    if asksClient, call.caller.canAsk {
      switch try await call.ask(Self.question(change)) {
      case .accepted(let content):
        // Somebody may have answered elsewhere meanwhile: the first answer counts.
        if let verdict = try take(request, key) { return verdict }
        end(request, key)
        let person = call.caller.principal ?? "the person at \(Self.name(of: call.caller))"
        return content["approve"] == true ? .approved("\(person), asked by the client") : .declined(person)
      case .declined:
        end(request, key)
        return .declined("the person at \(Self.name(of: call.caller))")
      case .canceled: break
      }
    }
    let end = HostLoop.uptime + seconds
    while HostLoop.uptime < end {
      try await HostLoop.shared.sleep(seconds: Self.pause)
      if let verdict = try take(request, key) { return verdict }
    }
    return .waits(request)
  }

  /// Ends all requests: their sessions are over.
  func close() {
    for (key, request) in requests { end(request, key) }
  }

  private func request(for change: Change, _ key: Key, _ caller: MCPCaller) throws -> ApprovalRequest {
    let now = Int(UnixTime.now.seconds)
    for (key, request) in requests where request.created + Approvals.lifetime <= now { end(request, key) }
    if let request = requests[key] { return request }
    guard requests.count < Self.most else {
      throw ToolError("too_many_changes", "\(Self.most) changes wait for an approval", hint: "wait for a person")
    }
    let request = ApprovalRequest(
      digest: change.digest, title: change.title, text: change.text, session: caller.session,
      client: Self.name(of: caller))
    try approvals.add(request)
    requests[key] = request
    return request
  }

  /// The answer of a person elsewhere, which is used up; nil without one.
  private func take(_ request: ApprovalRequest, _ key: Key) throws -> Verdict? {
    guard requests[key] == request else { return .answered }
    guard let answer = try approvals.answer(to: request) else { return nil }
    end(request, key)
    return answer.isApproved ? .approved(answer.by) : .declined(answer.by)
  }

  private func end(_ request: ApprovalRequest, _ key: Key) {
    requests[key] = nil
    approvals.remove(request)
  }

  private static func question(_ change: Change) -> MCPQuestion {
    MCPQuestion(
      "approval", "\(change.title)?\n\n\(change.text)\n\nDigest: \(change.digest)",
      schema: [
        "type": "object",
        "properties": [
          "approve": [
            "type": "boolean", "title": "Approve this change",
            "description": "true lets exactly this change happen, once",
          ]
        ], "required": ["approve"],
      ])
  }

  static func name(of caller: MCPCaller) -> String {
    guard let client = caller.client else { return "a client without a name" }
    return "\(client.name) \(client.version)".displayable.clipped(to: 80)
  }
}
