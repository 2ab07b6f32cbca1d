import Automation
import Core
import Files
import HostLoop
import Lua
import LuaKit
import ScriptHost
import TestRunner

struct TestOptions {
  enum Report: String, CaseIterable { case junit, tap }

  var filter: String?
  var report: Report?
  /// True if another process of the program has started this one to run its tests.
  var isWorker = false
}

extension Command {
  static let test = Command(
    "test", "run the tests in *_test.lua files, each with its own local tenant",
    flags: [
      Flag("--filter TEXT", "run only tests with TEXT in their names, in upper or lower case", \.test.filter),
      Flag(
        "--report FORMAT", "the format of the results on standard output; the report for people goes to standard error",
        choices: TestOptions.Report.allCases.map(\.rawValue)
      ) { $0.test.report = $1.flatMap(TestOptions.Report.init) },
    ],
    positions: [.init("[PATH…]", "a test file, or a folder of test files; the current folder if not given")],
    fileEnding: TestRunner.fileEnding, limitsParts: true, isRepeatable: true, isTraceable: true
  ) { invocation, console in
    // A trace is the record of one process.
    guard invocation.test.isWorker || invocation.configuration.session.events != nil else {
      let worker = WorkerBench(
        FileSystem.realPath("/proc/self/exe") ?? "b2c-run", Array(CommandLine.arguments.dropFirst()),
        environment: Invocation.environment)
      defer { worker.close() }
      return try await invocation.runTests(on: worker, console)
    }
    var invocation = invocation
    // Now, not in each test.
    if !invocation.configuration.plugins.all().isEmpty {
      _ = try await invocation.withHost(console) {
        invocation.configuration.plugins = try $0.scriptRun.settledPlugins()
      }
    }
    var options = LocalBench.Options(invocation.configuration, stopSignal: Interrupts.stopSignal) {
      try invocation.read($0)
    }
    options.logLevel = invocation.logLevel
    if let seconds = invocation.timeout { options.seconds = seconds }
    let bench = LocalBench(options)
    guard invocation.test.isWorker else { return try await invocation.runTests(on: bench, console) }
    try await TestDesk(bench).serve()
    return .done
  }
}

extension Invocation {
  @HostActor
  fileprivate func runTests(on bench: any TestBench, _ console: Console) async throws -> ExitStatus {
    let runner = TestRunner(bench, filter: test.filter, reports: reports(console))
    return try await runner.run(arguments).failed > 0 ? .failed : .done
  }

  /// Results go to standard output: the report for people where no other is wanted.
  @HostActor
  fileprivate func reports(_ console: Console) -> [any TestReport] {
    let write: @HostActor (String) -> Void = { text in
      StandardOutput.write(data: OutputText(text).text)
      StandardOutput.flush()
    }
    let text = TextReport(paint: console.paint) { text in
      console.write(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
    switch test.report {
    case .junit?: return [JUnitReport(write: write), text]
    case .tap?: return [TAPReport(write: write), text]
    case nil:
      let screen = Console(level: logLevel, descriptor: 1)
      return [TextReport(paint: screen.paint, write: write)]
    }
  }
}
