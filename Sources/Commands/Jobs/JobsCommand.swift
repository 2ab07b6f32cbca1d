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
    Flag("--failed", "with runs: list only runs that failed", with: ["runs"], \.isFailedOnly),
    Flag(
      "--since TIME", "with runs: list only runs since a day or a time such as 2027-01-31 18:00, or 2d",
      with: ["runs"], \.since),
    Flag("--limit N", "with runs: list at most N runs; 50 if not given", with: ["runs"]) { command, text in
      guard let count = Int(text ?? ""), (1...100_000).contains(count) else {
        throw UsageError("--limit: expected a number from 1 to 100000, got '\(text ?? "")'")
      }
      command.limit = count
    },
    Flag("--before RUN", "with runs: list only runs with smaller numbers", with: ["runs"]) { command, text in
      guard let id = Int64(text ?? ""), id > 0 else {
        throw UsageError("--before: expected the number of a run, got '\(text ?? "")'")
      }
      command.before = id
    },
    Flag("--from TIME", "with next: begin at a day or a time such as 2027-01-31 18:00", with: ["next"], \.from),
    Flag("--follow", "with log: wait for more until the run ends", with: ["log"], \.follows),
    Flag("--yes", "with allow: do not ask", with: ["allow"], \.isAgreed),
    Flag(
      "--json", "print all data as JSON, for programs",
      with: ["list", "show", "next", "run", "runs", "log", "retry"], \.isJSON),
  ]

  private(set) var folder: String?
  private(set) var state: String?
  private(set) var isFailedOnly = false
  private(set) var since: String?
  /// The most runs of a list.
  private(set) var limit = 50
  /// Only runs with smaller numbers.
  private(set) var before: Int64?
  private(set) var from: String?
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
