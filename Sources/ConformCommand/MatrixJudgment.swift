import Automation
import CommandLine
import Commands
import ConformMatrix
import Core
import HostLoop
import JSON
import Parties
import Terminal

/// The options of `conform matrix`.
struct MatrixOptions: Sendable {
  var providers: [String] = []
  var clients: [String] = []

  static let flags: [Flag<ConformCommand>] = [
    Flag("--providers NAMES", "only these profiles, separated by commas; a file is named by its path", with: ["matrix"])
    {
      $0.matrix.providers += ($1 ?? "").split(separator: ",").map(String.init)
    },
    Flag("--clients NAMES", "only these profiles, separated by commas; a file is named by its path", with: ["matrix"]) {
      $0.matrix.clients += ($1 ?? "").split(separator: ",").map(String.init)
    },
  ]
}

/// One run of `conform matrix`.
@HostActor
struct MatrixJudgment {
  let command: ConformCommand
  let run: RunOptions
  let console: Console

  func judge(_ words: [String]) async throws -> ExitStatus {
    guard words.count == 1 else {
      throw UsageError("conform matrix: unexpected argument '\(words[1])'", hint: "--providers and --clients select")
    }
    let folder = ProfileFolder(scripts: run.session.scriptsFolder)
    func profiles(_ role: PartyProfile.Role, _ names: [String]) throws -> [PartyProfile] {
      try names.isEmpty ? folder.all(role) : names.map { try folder.profile(role, $0) }
    }
    var matrix = Matrix(
      try profiles(.provider, command.matrix.providers), try profiles(.client, command.matrix.clients))
    try await matrix.run { done, all in console.show(progress: "\(done) of \(all) sign-ins") }
    console.finish(progress: "")
    let output = ResultOutput(options: command.results, run: run, console: console)
    try output.write("--report", command.results.report) { MatrixPage.text(matrix) }
    if command.results.isJSON {
      StandardOutput.write(json: matrix.json.encoded() + "\n")
    } else {
      StandardOutput.write(OutputText(MatrixText.text(matrix)).text)
    }
    return .done
  }
}
