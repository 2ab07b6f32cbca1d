import Automation
import CommandLine
import Commands
import Core
import Files
import Glibc
import HostLoop
import JSON
import Lua
import LuaKit
import LuaSignIn
import OAuth
import ScriptHost
import Terminal
import TraceView

/// `b2c-run experiment`
struct ExperimentCommand: Command {
  static let form = CommandForm(
    "experiment", "run a sign-in with each combination of some values, and compare the runs",
    positions: [.init("FLOW", "a script that signs in or returns a flow, or the name of a stock flow")],
    fileEnding: ".lua", limitsParts: true)

  static let flags: [Flag<Self>] = [
    Flag("--vary NAME=VALUES", "the values of an option or a setting, separated by commas; may be repeated") {
      try $0.vary($1 ?? "")
    },
    Flag("--sample N", "run only N of the combinations, spread over all of them") { command, text in
      guard let size = text.flatMap({ Int($0) }), (1...Combinations.most).contains(size) else {
        throw UsageError("--sample: expected a number from 1 to \(Combinations.most), got '\(text ?? "")'")
      }
      command.sample = size
    },
    Flag("--report FILE", "write a page with all runs to FILE (.html)") { command, path in
      guard let path, path.isPagePath else {
        throw UsageError("--report: expected a file that ends in .html or .htm, got '\(path ?? "")'")
      }
      command.report = path
    },
    Flag("--json", "print the results as JSON, for programs", \.isJSON),
    Flag(
      "--deviations", "make one mistake in each sign-in, and show which of them the provider refuses", \.deviates),
    Flag(
      "--fail-on LEVEL",
      "end with status 1 if the provider accepts a mistake that it must or should refuse, or a run failed",
      choices: FailingLevel.allCases.map(\.rawValue)
    ) { $0.failingLevel = $1.flatMap(FailingLevel.init) },
    Flag("--junit FILE", "write the results to FILE as JUnit's XML", \.junit),
    Flag("--yes", "with --deviations: do not ask before the sign-ins", \.isAgreed),
  ]

  private(set) var varied: [(name: String, values: [String])] = []
  private(set) var sample: Int?
  private(set) var report: String?
  private(set) var junit: String?
  private(set) var failingLevel: FailingLevel?
  private(set) var deviates = false
  /// True if nobody is asked.
  private(set) var isAgreed = false
  private(set) var isJSON = false

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let experiment = ExperimentRun(command: self, name: words[0], run: run, console: console)
    guard deviates || failingLevel == nil || failingLevel == .failed else {
      throw UsageError("--fail-on: must and should belong to --deviations", hint: "give --fail-on failed")
    }
    let results = try await deviates ? experiment.tryDeviations() : experiment.tryCombinations()
    return failingLevel.map(results.fails) == true ? .failed : .done
  }

  /// Adds `NAME=V1,V2`.
  mutating func vary(_ text: String) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError("--vary: expected NAME=VALUE,VALUE, got '\(text)'", hint: "for example --vary pkce=S256,plain")
    }
    guard !varied.contains(where: { $0.name == parts[0] }) else {
      throw UsageError("--vary: \(parts[0]) is given twice", hint: "put all of its values into one list")
    }
    let values = parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard Set(values).count == values.count else { throw UsageError("--vary: \(parts[0]) has a value twice") }
    varied.append((parts[0], values))
  }
}

/// One experiment with a script or a stock flow.
@HostActor
struct ExperimentRun {
  /// The time limit of one run, in seconds, without `--timeout`.
  private static let secondsOfRun = 60.0

  let command: ExperimentCommand
  /// The script, or the name of the stock flow.
  let name: String
  let run: RunOptions
  let console: Console

  /// Runs it with each combination of the values.
  func tryCombinations() async throws -> Experiment {
    guard !command.isAgreed else { throw UsageError("--yes: expected the option --deviations with it") }
    let combinations = Combinations(command.varied)
    guard !command.varied.isEmpty else {
      throw UsageError(
        "experiment: nothing varies", hint: "for example --vary pkce=S256,plain --vary response_mode=query,form_post")
    }
    guard command.sample != nil || combinations.count <= Combinations.most else {
      throw UsageError(
        "experiment: \(combinations.count) combinations are more than \(Combinations.most)",
        hint: "--sample \(Combinations.most) runs some of them")
    }
    let script = try experimentScript()
    var results = Experiment(name, varied: command.varied, combinations: combinations.count)
    for option in command.varied {
      for value in option.values where !Variation.isSetting(option.name) || Variation.isOption(option.name) {
        _ = try Variation([(option.name, value)])
      }
    }
    try checkReport(script)
    results.command = shownCommandLine
    // A script may bring settings of its own.
    _ = try? await run.withHost(console) { host in results.provider = providerName(try host.session.settings()) }
    let folder = try TemporaryPlace.makeFolder("b2c-run-experiment-")
    defer { TemporaryPlace.remove(folder) }
    for (number, combination) in combinations.sample(command.sample ?? combinations.count).enumerated() {
      let values = combinations[combination]
      let file = "\(folder)/\(number + 1).json"
      try await runOnce(script, Array(zip(command.varied.map(\.name), values)), trace: file)
      try Task.checkCancellation()
      try results.add(values, TraceInput(file))
    }
    try show(results)
    return results
  }

  /// The script of the experiment; nil for the name of a stock flow.
  func experimentScript() throws -> (path: String, source: [UInt8])? {
    if Flows.isStock(name) { return nil }
    guard let path = try ScriptFile.path(of: name) else {
      throw UsageError(
        "experiment: there is no script and no stock flow named '\(name)'",
        hint: didYouMean(name, among: Flows.stock)
          ?? "give the path of a Lua file, or a flow such as authorization_code")
    }
    return (path, try ScriptFile.read(path))
  }

  /// Checks that the page can be written, before the runs that it is about.
  func checkReport(_ script: (path: String, source: [UInt8])?) throws(UsageError) {
    guard let report = command.report else { return }
    if let script, ResolvedPath.areOneFile(report, script.path) {
      throw UsageError("--report: \(report) is the script itself, which would be lost", hint: "name another file")
    }
    let folder = report.parentFolder
    let isThere = FileSystem.exists(report)
    var problem: String?
    if FileSystem.isFolder(report) {
      problem = "it is a folder"
    } else if FileSystem.access(isThere ? report : folder, isThere ? W_OK : W_OK | X_OK) != 0 {
      problem = FileFailure(number: errno).reason
    }
    guard let problem else { return }
    throw UsageError("cannot write \(report): \(problem)", hint: "name a folder that can be written to")
  }

  /// Prints the results, and writes the page.
  func show(_ results: Experiment) throws {
    show(text: results)
    if let report = command.report {
      try PageFile.write("--report", report, of: [], console) { try ExperimentPage.write(results, to: $0) }
    }
    if let junit = command.junit {
      let text = Array(OutputText(results.junit(command.failingLevel)).text.utf8)
      try PageFile.write("--junit", junit, of: [], console) { try OpenFile.write(text, to: $0) }
    }
  }

  private func show(text results: Experiment) {
    guard !command.isJSON else { return StandardOutput.write(json: results.json.encoded() + "\n") }
    let screen = TerminalScreen(of: STDOUT_FILENO)
    let text = results.text(width: screen?.columns) { text, style in
      screen?.usesColor == true ? ScreenText.painted(text, style) : text
    }
    StandardOutput.write(OutputText(text).text)
  }

  /// Runs the script, or signs in by the flow, with these values in a host of its own, and records the run.
  func runOnce(
    _ script: (path: String, source: [UInt8])?, _ values: [(name: String, text: String)] = [], trace file: String,
    deviation: DeviationRun? = nil
  ) async throws {
    let options = values.filter { Variation.isOption($0.name) }
    let variation = try Variation(options)
    var run = run
    run.asksForPermissions = false
    run.session.storePath = nil
    run.session.forgetsAccounts = true
    // An empty value leaves the setting as it is.
    run.session.settings.overrides += values.filter { !Variation.isOption($0.name) && !$0.text.isEmpty }
      .map { ($0.name, $0.text) }
    let console = Console(level: .error, isQuiet: true) { _ in }
    let seconds = run.timeout ?? Self.secondsOfRun
    _ = try await StandardOutput.captured(limit: 256 << 10) {
      try await run.traced(RunOptions.TracePlace(file), of: name, console, { nil }) { run in
        try await run.withHost(console) { host in
          host.signIns.variation = variation
          host.session.providers.link = deviation
          try await TimeLimit.run(seconds: seconds, signal: Interrupts.stopSignal) {
            guard let script else { return try await host.signIn(by: .string(name)) }
            let result = try await host.run(script.source, path: script.path)
            if result.function != nil { try await host.signIn(by: result) }
          }
        }
      }
    }
  }
}
