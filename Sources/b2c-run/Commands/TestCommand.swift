import Automation
import CommandLine
import Commands
import Core
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

  static let form = CommandForm(
    "test", "run the tests in *_test.lua files, each with its own local tenant",
    positions: [.init("[PATH…]", "a test file, or a folder of test files; the current folder if not given")],
    fileEnding: TestRunner.fileEnding, limitsParts: true, isRepeatable: true, isTraceable: true)

  static let flags: [Flag<Self>] = [
    Flag("--filter TEXT", "run only tests with TEXT in their names, in upper or lower case", \.filter),
    Flag(
      "--report FORMAT", "the format of the results on standard output; the report for people goes to standard error",
      choices: Report.allCases.map(\.rawValue)
    ) { $0.report = $1.flatMap(Report.init) },
  ]

  private var filter: String?
  private var report: Report?

  func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    // A trace is the record of one process.
    guard TestDesk.isWanted || run.session.events != nil else {
      let worker = WorkerBench(
        FileSystem.realPath("/proc/self/exe") ?? "b2c-run", Array(CommandLine.arguments.dropFirst()),
        environment: RunOptions.environment)
      defer { worker.close() }
      return try await runTests(words, on: worker, run, console)
    }
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
    let bench = LocalBench(options)
    guard TestDesk.isWanted else { return try await runTests(words, on: bench, run, console) }
    try await TestDesk(bench).serve()
    return .done
  }

  @HostActor
  private func runTests(
    _ paths: [String], on bench: any TestBench, _ run: RunOptions, _ console: Console
  ) async throws -> ExitStatus {
    let runner = TestRunner(bench, filter: filter, reports: reports(run, console))
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
