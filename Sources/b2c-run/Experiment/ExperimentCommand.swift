import Automation
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

/// The options of `b2c-run experiment`.
struct ExperimentOptions {
  var varied: [(name: String, values: [String])] = []
  var sample: Int?
  var report: String?
  /// `--deviations`
  var deviates = false
  /// `--yes`: nobody is asked.
  var isAgreed = false

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

extension Command {
  static let experiment = Command(
    "experiment", "run a sign-in with each combination of some values, and compare the runs",
    flags: [
      Flag("--vary NAME=VALUES", "the values of an option or a setting, separated by commas; may be repeated") {
        try $0.experiment.vary($1 ?? "")
      },
      Flag("--sample N", "run only N of the combinations, spread over all of them") { invocation, text in
        guard let size = text.flatMap({ Int($0) }), (1...Combinations.most).contains(size) else {
          throw UsageError("--sample: expected a number from 1 to \(Combinations.most), got '\(text ?? "")'")
        }
        invocation.experiment.sample = size
      },
      Flag("--report FILE", "write a page with all runs to FILE (.html)") { invocation, path in
        guard let path, path.isPagePath else {
          throw UsageError("--report: expected a file that ends in .html or .htm, got '\(path ?? "")'")
        }
        invocation.experiment.report = path
      },
      Flag("--json", "print the results as JSON, for programs", \.isJSON),
      Flag(
        "--deviations", "make one mistake in each sign-in, and show which of them the provider refuses",
        \.experiment.deviates),
      Flag("--yes", "with --deviations: do not ask before the sign-ins", \.experiment.isAgreed),
    ],
    positions: [.init("FLOW", "a script that signs in or returns a flow, or the name of a stock flow")],
    fileEnding: ".lua", limitsParts: true
  ) { invocation, console in try await invocation.runExperiment(console) }
}

extension Invocation {
  /// The time limit of one run, in seconds, without `--timeout`.
  private static let secondsOfRun = 60.0

  @HostActor
  fileprivate func runExperiment(_ console: Console) async throws -> ExitStatus {
    if experiment.deviates { return try await runDeviations(console) }
    let name = arguments[0]
    guard !experiment.isAgreed else { throw UsageError("--yes: expected the option --deviations with it") }
    let combinations = Combinations(experiment.varied)
    guard !experiment.varied.isEmpty else {
      throw UsageError(
        "experiment: nothing varies", hint: "for example --vary pkce=S256,plain --vary response_mode=query,form_post")
    }
    guard experiment.sample != nil || combinations.count <= Combinations.most else {
      throw UsageError(
        "experiment: \(combinations.count) combinations are more than \(Combinations.most)",
        hint: "--sample \(Combinations.most) runs some of them")
    }
    let script = try experimentScript()
    var results = Experiment(name, varied: experiment.varied, combinations: combinations.count)
    for option in experiment.varied {
      for value in option.values where !Variation.isSetting(option.name) || Variation.isOption(option.name) {
        _ = try Variation([(option.name, value)])
      }
    }
    try checkReport(script)
    results.command = shownCommandLine
    // A script may bring settings of its own.
    _ = try? await withHost(console) { host in results.provider = providerName(try host.session.settings()) }
    let folder = try TemporaryPlace.makeFolder("b2c-run-experiment-")
    defer { TemporaryPlace.remove(folder) }
    for (number, combination) in combinations.sample(experiment.sample ?? combinations.count).enumerated() {
      let values = combinations[combination]
      let file = "\(folder)/\(number + 1).json"
      try await runOnce(name, script, Array(zip(experiment.varied.map(\.name), values)), trace: file)
      try Task.checkCancellation()
      try results.add(values, TraceInput(file))
    }
    show(results)
    if let report = experiment.report {
      try withPage("--report", report, of: [], console) { try ExperimentPage.write(results, to: $0) }
    }
    return .done
  }

  /// The script of the experiment; nil for the name of a stock flow.
  func experimentScript() throws -> (path: String, source: [UInt8])? {
    let name = arguments[0]
    if Flows.isStock(name) { return nil }
    guard let path = try path(ofScript: name) else {
      throw UsageError(
        "experiment: there is no script and no stock flow named '\(name)'",
        hint: "give the path of a Lua file, or a flow such as authorization_code")
    }
    return (path, try read(path))
  }

  /// Checks that the page can be written, before the runs that it is about.
  func checkReport(_ script: (path: String, source: [UInt8])?) throws(UsageError) {
    guard let report = experiment.report else { return }
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

  @HostActor
  func show(_ results: Experiment) {
    guard !isJSON else { return StandardOutput.write(json: results.json.encoded() + "\n") }
    let screen = TerminalScreen(of: STDOUT_FILENO)
    let text = results.text(width: screen?.columns) { text, style in
      screen?.usesColor == true ? ScreenText.painted(text, style) : text
    }
    StandardOutput.write(OutputText(text).text)
  }

  /// Runs the script, or signs in by the flow, with these values in a host of its own, and records the run.
  @HostActor
  func runOnce(
    _ name: String, _ script: (path: String, source: [UInt8])?, _ values: [(name: String, text: String)] = [],
    trace file: String, deviation: DeviationRun? = nil
  ) async throws {
    let options = values.filter { Variation.isOption($0.name) }
    let variation = try Variation(options)
    var run = self
    run.action = .script(name)
    run.arguments = []
    run.trace = try TracePlace(file)
    run.asksForPermissions = false
    run.configuration.session.storePath = nil
    run.configuration.session.forgetsAccounts = true
    // An empty value leaves the setting as it is.
    run.configuration.session.settings.overrides += values.filter { !Variation.isOption($0.name) && !$0.text.isEmpty }
      .map { ($0.name, $0.text) }
    let console = Console(level: .error, isQuiet: true) { _ in }
    let seconds = timeout ?? Self.secondsOfRun
    _ = await StandardOutput.captured(limit: 256 << 10) {
      await run.traced(console, { nil }) { invocation in
        try await invocation.withHost(console) { host in
          host.signIns.variation = variation
          host.session.clients.deviation = deviation
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
