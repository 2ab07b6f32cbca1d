import Automation
import CommandLine
import Commands
import Core
import Files
import HostLoop
import JSON
import Rehearsal
import Terminal

/// `b2c-run migrate`
struct MigrateCommand: Command {
  static let form = CommandForm(
    "migrate", "rehearse the move from Azure AD B2C to External ID on this machine",
    positions: [
      .init("ACTION", "rehearse: compares two local tenants, and moves users between them", choices: ["rehearse"])
    ],
    usage: ["rehearse [options]"])

  static let flags: [Flag<Self>] = [
    Flag("--sign-ins N", "sign in N times while the users move (200 if not given)") { command, value in
      guard let count = Int(value ?? ""), 1...1_000_000 ~= count else {
        throw UsageError("--sign-ins: expected a number from 1 to 1000000, got '\(value ?? "")'")
      }
      command.signIns = count
    },
    Flag("--report FILE", "write a page with the result to FILE (.html)") { command, path in
      guard let path, path.isPagePath else {
        throw UsageError("--report: expected a file that ends in .html or .htm, got '\(path ?? "")'")
      }
      command.report = path
    },
    Flag("--json", "print all data as JSON, for programs", \.isJSON),
  ]

  private var signIns = 200
  private var report: String?
  private var isJSON = false

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    guard words.count == 1 else { throw UsageError("migrate rehearse: unexpected argument '\(words[1])'") }
    let rehearsal = Rehearsal(signIns: signIns)
    try await rehearsal.run { console.show(progress: $0) }
    console.finish(progress: "")
    let result = rehearsal.result
    if let report {
      let bytes = Array(OutputText(RehearsalPage.text(result)).text.utf8)
      try PageFile.write("--report", report, of: [], console) { file in
        do throws(FileFailure) { try OpenFile.write(bytes, to: file) } catch {
          throw UsageError("--report: cannot write \(report): \(error.reason)")
        }
      }
    }
    if isJSON {
      StandardOutput.write(json: RehearsalPage.json(result).encoded() + "\n")
    } else {
      StandardOutput.write(OutputText(RehearsalText.text(result)).text)
    }
    return result.isGood ? .done : .failed
  }
}
