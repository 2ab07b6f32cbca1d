import AgentRecords
import Automation
import CommandLine
import Core
import Glibc
import HostLoop
import JSON
import Terminal

/// The approvals and the log at a terminal.
@HostActor
struct ApprovalTerminal {
  private let folder: AgentFolder
  private let approvals: Approvals
  private let console: Console

  init(_ folder: AgentFolder, _ console: Console) {
    self.folder = folder
    self.console = console
    approvals = Approvals(folder)
  }

  /// Shows a change, and asks the person. Declining needs no question.
  func answer(_ digest: String, approves: Bool) async throws -> ExitStatus {
    let request = try approvals.request(named: digest)
    guard approves else {
      try approvals.answer(request, ApprovalAnswer(isApproved: false, by: Self.person))
      console.log(.info, "declined: \(request.title.displayable)")
      return .done
    }
    // A program that answers for the person would need a terminal, too.
    guard isatty(STDIN_FILENO) == 1, let terminal = ControllingTerminal.shared else {
      throw UsageError(
        "mcp approve: there is no terminal to ask a person",
        hint: "run it in a terminal, or use the page Agents of b2c-run serve --listen")
    }
    console.write("", DecisionText(Self.shown(request)))
    let line = try await terminal.line(.text) {
      console.ask(DecisionText("Approve exactly this change, once? Type yes: "), on: STDERR_FILENO)
    }
    console.asked()
    let isApproved = line?.trimmed.lowercased() == "yes"
    guard isApproved else {
      console.log(.info, "nothing was approved")
      return .failed
    }
    try approvals.answer(request, ApprovalAnswer(isApproved: true, by: "\(Self.person), on a terminal"))
    console.log(.info, "approved \(request.shortDigest): the agent can carry it out once")
    return .done
  }

  func list(asJSON: Bool) throws {
    let waiting = try approvals.waiting()
    if asJSON {
      return StandardOutput.write(json: JSON.array(waiting.map { $0.listed }).encoded() + "\n")
    }
    if waiting.isEmpty { return console.log(.info, "no change waits for an approval") }
    for request in waiting { StandardOutput.write(Self.shown(request) + "\n") }
    console.log(.info, "b2c-run mcp approve DIGEST lets one of them happen")
  }

  func log(last: Int, asJSON: Bool) throws {
    let calls = try CallLog(folder).last(last)
    if asJSON { return StandardOutput.write(json: calls.reversed().map { $0.json.encoded() + "\n" }.joined()) }
    if calls.isEmpty { return console.log(.info, "no agent has made a call yet") }
    var columns = Columns("TIME", "CLIENT", "TOOL", "OUTCOME", "APPROVED BY", "WHAT")
    for call in calls.reversed() {
      columns.add(
        call.time.text("%Y-%m-%d %H:%M:%S", inLocalTime: true), call.client, call.tool, call.outcome,
        call.approvedBy ?? "", call.reason ?? call.arguments.encoded())
    }
    StandardOutput.write(columns.fitted)
  }

  private static func shown(_ request: ApprovalRequest) -> String {
    """
    \(request.title.displayable)
    asked by \(request.client.displayable), \(UnixTime(Double(request.created)).distance(from: .now))
    digest \(request.digest)

    \(request.text.displayableLines)
    """
  }

  /// The user of this process.
  private static var person: String {
    guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name else { return "user \(geteuid())" }
    return String(cString: name)
  }
}

extension ApprovalRequest {
  /// The request for programs, with its ID.
  fileprivate var listed: JSON {
    guard case .object(var members) = json else { return json }
    members["id"] = .string(id)
    return .object(members)
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
