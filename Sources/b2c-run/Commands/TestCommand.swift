import Automation
import CommandLine
import Commands
import Core
import Coverage
import Files
import HostLoop
import Lua
import LuaKit
import ScriptHost
import Terminal
import TestRunner

/// `b2c-run test`
struct TestCommand: Command {
  private enum Report: String, CaseIterable { case junit, tap }
  private enum CoverageFormat: String, CaseIterable { case text, lcov, html }

  static let form = CommandForm(
    "test", "run the tests in *_test.lua files, each with its own local tenant",
    positions: [.init("[PATH…]", "a test file, or a folder of test files; the current folder if not given")],
    fileEnding: TestRunner.fileEnding, limitsParts: true, isRepeatable: true, isTraceable: true)

  static let flags: [Flag<Self>] = [
    Flag("--filter TEXT", "run only tests with TEXT in their names, in upper or lower case", \.selection.filter),
    Flag("--only NAME", "run only the test with this name", \.selection.only),
    Flag("--fail-fast", "end after the first test that fails", \.selection.endsAtFailure),
    Flag("--list", "print the names of the tests and their places, and run none", \.lists),
    Flag(
      "--coverage[=FORMAT]",
      "tell which lines and branches the tests have run: text (the default), lcov or html, in the file coverage.FORMAT",
      choices: CoverageFormat.allCases.map(\.rawValue)
    ) { $0.coverage = $1.flatMap(CoverageFormat.init) ?? .text },
    Flag(
      "--debug NAME", "run only the test with this name, under a debugger, as b2c-run debug runs a script", \.debugged),
    DebugCommand.listen { $0.port = $1 },
    Flag(
      "--report FORMAT", "the format of the results on standard output; the report for people goes to standard error",
      choices: Report.allCases.map(\.rawValue)
    ) { $0.report = $1.flatMap(Report.init) },
  ]

  private var selection = TestSelection()
  private var lists = false
  private var coverage: CoverageFormat?
  private var report: Report?
  private var debugged: String?
  private var port: UInt16?

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    if let debugged { return try await debug(debugged, words, run, console) }
    guard port == nil else {
      throw UsageError("test: --listen has no effect without --debug", hint: "--debug NAME names the test")
    }
    // A trace is the record of one process, and so is a coverage.
    guard TestDesk.isWanted || run.session.events != nil || coverage != nil else {
      let worker = WorkerBench(
        FileSystem.realPath("/proc/self/exe") ?? "b2c-run", Array(CommandLine.arguments.dropFirst()),
        environment: RunOptions.environment)
      defer { worker.close() }
      return try await runTests(words, on: worker, run, console)
    }
    let options = try await benchOptions(run, console)
    guard !TestDesk.isWanted else {
      try await TestDesk(LocalBench(options)).serve()
      return .done
    }
    let covered = coverage.map { _ in Coverage { $0.hasSuffix(TestRunner.fileEnding) } }
    let status = try await runTests(words, on: LocalBench(options, coverage: covered), run, console)
    if let covered, let coverage { try write(CoverageReport(covered), coverage, console) }
    return status
  }

  /// The options of tests in this process.
  @HostActor
  private func benchOptions(_ run: RunOptions, _ console: Console) async throws -> LocalBench.Options {
    var run = run
    // Now, not in each test.
    if !run.configuration.plugins.all().isEmpty {
      var settled = run.configuration.plugins
      _ = try await run.withHost(console) { settled = try $0.scriptRun.settledPlugins() }
      run.configuration.plugins = settled
    }
    var options = LocalBench.Options(run.configuration, stopSignal: Interrupts.stopSignal) { try ScriptFile.read($0) }
    options.logLevel = run.output.level
    if let seconds = run.timeout { options.seconds = seconds }
    return options
  }

  /// Runs one test under a debugger.
  private func debug(
    _ test: String, _ words: [String], _ run: RunOptions, _ console: Console
  ) async throws -> ExitStatus {
    try DebuggedRun.check(port: port, "test --debug")
    var command = self
    command.selection.only = test
    let options = try await benchOptions(run, console)
    // A wrong name ends the command before it waits for a client.
    _ = try await TestRunner(LocalBench(options), command.selection, reports: []).list(words)
    return try await DebuggedRun(port: port, run: run, console: console).whenLaunched { [command] run, session, _ in
      var options = options
      options.onRun = { session.attach($0, script: $1) }
      return try await command.runTests(words, on: LocalBench(options), run, console)
    }
  }

  @HostActor
  private func write(_ report: CoverageReport, _ format: CoverageFormat, _ console: Console) throws {
    let text =
      switch format {
      case .text: report.text
      case .lcov: report.lcov
      case .html: report.page
      }
    guard format != .text else { return StandardOutput.write(OutputText(text).text) }
    let file = try AtomicFile(OutputPlace("coverage.\(format.rawValue)"))
    try file.write(OutputText(text).text.utf8)
    try file.commit()
    console.log(.info, "wrote coverage.\(format.rawValue)")
  }

  @HostActor
  private func runTests(
    _ paths: [String], on bench: any TestBench, _ run: RunOptions, _ console: Console
  ) async throws -> ExitStatus {
    let runner = TestRunner(bench, selection, reports: reports(run, console))
    if lists {
      StandardOutput.write(try await runner.list(paths).map { OutputText($0).text + "\n" }.joined())
      return .done
    }
    return try await runner.run(paths).failed > 0 ? .failed : .done
  }

  /// Results go to standard output: the report for people where no other is wanted.
  @HostActor
  private func reports(_ run: RunOptions, _ console: Console) -> [any TestReport] {
    let write: @HostActor (String) -> Void = { text in
      StandardOutput.write(data: OutputText(text).text)
      StandardOutput.flush()
    }
    let text = TextReport(paint: console.paint) { text in
      console.write(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
    switch report {
    case .junit?: return [JUnitReport(write: write), text]
    case .tap?: return [TAPReport(write: write), text]
    case nil:
      let screen = Console(level: run.output.level, descriptor: 1)
      return [TextReport(paint: screen.paint, write: write)]
    }
  }
}
