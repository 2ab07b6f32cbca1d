package import Automation
package import CommandLine
import HostLoop

/// `b2c-run jobs`
package struct JobsCommand: Command {
  package static let form = CommandForm(
    "jobs", "list the jobs of a folder and their runs, and control them",
    positions: [
      .init("[ACTION]", "list if not given", choices: JobsAction.allCases.map(\.rawValue), fallback: "list"),
      .init("[NAME]", "the name of a job, or the number of a run"), .init("[ARG…]", "more arguments"),
    ],
    usage: JobsAction.allCases.map { "\($0.rawValue)\($0.operands.isEmpty ? "" : " \($0.operands)")" })

  package static let flags: [Flag<Self>] = [
    Flag("--state DIR", "keep the state of the jobs in the folder DIR", \.state),
    Flag("--folder DIR", "the folder with the scripts; jobs if not given", \.folder),
    Flag("--failed", "with runs: list only runs that failed", with: ["runs"], \.list.isFailedOnly),
    Flag(
      "--since TIME", "with runs: list only runs since a day or a time such as 2027-01-31 18:00, or 2d",
      with: ["runs"], \.list.since),
    Flag(
      "--search TEXT", "with runs: list only runs with TEXT in their job, event, arguments, reason or error",
      with: ["runs"], \.list.text),
    Flag("--limit N", "with runs: list at most N runs; 50 if not given", with: ["runs"]) { command, text in
      guard let count = Int(text ?? ""), (1...100_000).contains(count) else {
        throw UsageError("--limit: expected a number from 1 to 100000, got '\(text ?? "")'")
      }
      command.list.limit = count
    },
    Flag("--before RUN", "with runs: list only runs with smaller numbers", with: ["runs"]) { command, text in
      guard let id = Int64(text ?? ""), id > 0 else {
        throw UsageError("--before: expected the number of a run, got '\(text ?? "")'")
      }
      command.list.before = id
    },
    Flag(
      "--from TIME", "with next, backfill and pause: begin at a day or a time such as 2027-01-31 18:00",
      with: ["next", "backfill", "pause"], \.from),
    Flag("--to TIME", "with backfill: the end of the due times; now if not given", with: ["backfill"], \.until),
    Flag("--until TIME", "with pause --all: the end of the maintenance", with: ["pause"], \.until),
    Flag("--all", "with pause and resume: all jobs", with: ["pause", "resume"], \.isForAll),
    Flag("--event FILE", "with run: start the job with the event in a JSON file", with: ["run"], \.input.event),
    Flag("--like RUN", "with run: take the event and the arguments of an earlier run", with: ["run"]) { command, text in
      guard let id = Int64(text ?? ""), id > 0 else {
        throw UsageError("--like: expected the number of a run, got '\(text ?? "")'")
      }
      command.input.like = id
    },
    Flag("--to-current", "with move: let the run continue with the present script", with: ["move"], \.isToCurrent),
    Flag("--follow", "with log: wait for more until the run ends", with: ["log"], \.follows),
    Flag("--yes", "with allow, backfill and move: do not ask", with: ["allow", "backfill", "move"], \.isAgreed),
    Flag(
      "--json", "print all data as JSON, for programs",
      with: ["list", "show", "next", "run", "runs", "log", "retry"], \.isJSON),
  ]

  private(set) var folder: String?
  private(set) var state: String?
  /// The runs of a list.
  struct RunList: Sendable {
    var isFailedOnly = false
    var since: String?
    /// A text that the runs have.
    var text: String?
    /// The most runs.
    var limit = 50
    /// Only runs with smaller numbers.
    var before: Int64?
  }

  /// The input of a run in place of an event by hand.
  struct Input: Sendable {
    /// The file with the event.
    var event: String?
    /// An earlier run.
    var like: Int64?
  }

  private(set) var list = RunList()
  private(set) var input = Input()
  private(set) var from: String?
  private(set) var until: String?
  /// True for all jobs.
  private(set) var isForAll = false
  private(set) var isToCurrent = false
  private(set) var follows = false
  /// True if nobody is asked.
  private(set) var isAgreed = false
  private(set) var isJSON = false

  package init() {}

  package func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let action = JobsAction(rawValue: words.first ?? "") ?? .list
    let operands = Array(words.dropFirst())
    return try await OpenJobs(self, run, for: action, operands, console).perform(action, operands)
  }
}
