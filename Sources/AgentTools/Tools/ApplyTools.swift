import Core
import HostLoop
import JSON
import MCP

/// The tools that change something, each call by an approval of a person.
extension Workshop {
  var planApply: ServedTool {
    ServedTool(
      "plan_apply",
      "Carries out a plan of this session after a person has approved exactly it. Without an approval, nothing is done, and the "
        + "result says how the person can give it.",
      [
        "plan": Schema.text("the digest of the plan", most: 80),
        "wait": Schema.number("the seconds to wait for a person who approves elsewhere; 0 if not given", 0...50),
      ], required: ["plan"], hints: .init(isDestructive: true, isIdempotent: true)
    ) { call in
      let session = call.caller.session
      let plan = try plans.plan(call.arguments["plan"]?.string ?? "", of: session)
      try plan.check()
      let change = ApprovalDesk.Change(
        digest: plan.digest, title: "Carry out the plan of \(plan.source.displayable.clipped(to: 100))", text: plan.text
      )
      let verdict = try await approvals.verdict(
        on: change, for: call, waiting: call.arguments["wait"]?.anyNumber ?? 0)
      switch verdict {
      case .waits(let request): return ToolReply(waiting: request)
      case .answered: return ToolReply(answered: plan.digest)
      case .declined(let person):
        plans.forget(plan)
        return ToolReply(declined: plan.digest, by: person)
      case .approved(let person):
        let outcome = try await ApprovedFailure.naming(plan.digest, person) {
          try await runner.json(
            "apply", runner.program.serviceWords + ["--", plan.path, plan.digest],
            permissions: [Self.reading(plan.path)], in: folder.current, mayLeaveRows: true)
        }
        plans.end(plan)
        var reply = ToolReply(data: outcome)
        (reply.digest, reply.approvedBy) = (plan.digest, person)
        if outcome["complete"] != true {
          // The changes were made: an error would invite the agent to make them again.
          reply.outcome = "in part"
          reply.text = "The plan was carried out, but not all of its rows.\n\n\(reply.text)"
        }
        return reply
      }
    }
  }

  /// A script of the folder as a tool.
  func served(_ script: ScriptTool) -> ServedTool {
    ServedTool(script.description) { call in
      let words = try script.words(call)
      if script.onlyReads { return try await script.run(words, runner, in: folder) }
      let change = script.change(words, call)
      switch try await approvals.verdict(on: change, for: call, waiting: 0) {
      case .waits(let request): return ToolReply(waiting: request)
      case .answered: return ToolReply(answered: change.digest)
      case .declined(let person): return ToolReply(declined: change.digest, by: person)
      case .approved(let person):
        var reply = try await ApprovedFailure.naming(change.digest, person) {
          try await script.run(words, runner, in: folder)
        }
        (reply.digest, reply.approvedBy) = (change.digest, person)
        return reply
      }
    }
  }
}

/// A failed call that a person had approved: a part of the change may have happened.
struct ApprovedFailure: Error {
  let digest: String
  let person: String
  let cause: any Error

  /// Throws the errors of the body with the change and the person.
  @HostActor
  static func naming<R: Sendable>(
    _ digest: String, _ person: String, _ body: @HostActor () async throws -> R
  ) async throws(ApprovedFailure) -> R {
    do { return try await body() } catch { throw ApprovedFailure(digest: digest, person: person, cause: error) }
  }
}
