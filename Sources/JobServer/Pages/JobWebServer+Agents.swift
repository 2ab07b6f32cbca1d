import AgentRecords
import HTTPServer
import Jobs

/// The page about agents: the changes that wait for an approval, and the calls that were made.
extension JobWebServer {
  private static let mostCalls = 100

  func agents(_ request: Request) throws -> DashboardPage {
    guard let folder = AgentFolder.usual() else { return DashboardPage.agents([], [], zone, nil) }
    return DashboardPage.agents(
      try Approvals(folder).waiting(), try CallLog(folder).last(Self.mostCalls), zone,
      mayApprove(request) ? formToken(request) : nil)
  }

  /// Takes the answer of a person to a change.
  func answerAgent(_ request: Request) throws -> ServerResponse {
    let answers = ["approve": true, "decline": false]
    guard request.parts.count == 3, let isApproved = answers[request.parts[2]], let folder = AgentFolder.usual() else {
      throw JobError("no_action", "there is no such action")
    }
    guard mayApprove(request), let name = request.visitor.name else {
      throw JobError("not_signed_in", "only a person who has signed in at the pages may answer here")
    }
    let approvals = Approvals(folder)
    let found = try approvals.request(named: request.parts[1])
    // The person has seen this change, and no other one.
    guard request.http.form.contains(where: { $0 == ("digest", found.digest) }) else {
      throw JobError("bad_request", "the form is about another change")
    }
    try approvals.answer(found, ApprovalAnswer(isApproved: isApproved, by: "\(name), on a page"))
    return ServerResponse(status: 303, headers: [("Location", "/agents")])
  }

  /// An agent on this machine reaches pages without a sign-in, and could approve its own change there. A program with a token has
  /// no session.
  private func mayApprove(_ request: Request) -> Bool { signIn != nil && !request.visitor.session.isEmpty }
}
