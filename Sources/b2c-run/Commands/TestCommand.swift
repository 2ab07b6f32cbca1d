import Automation
import Core
import HostLoop
import Lua
import LuaBindings
import TestRunner

struct TestOptions {
  enum Report: String, CaseIterable { case junit, tap }

  var filter: String?
  var report: Report?
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
    var invocation = invocation
    // Now, not in each test.
    if !invocation.configuration.plugins.all().isEmpty {
      _ = try await invocation.withHost(console) {
        invocation.configuration.plugins = try $0.automation.settledPlugins()
      }
    }
    var options = TestRunner.Options(invocation.configuration, stopSignal: Interrupts.stopSignal) {
      try invocation.read($0)
    }
    options.filter = invocation.test.filter
    options.logLevel = invocation.logLevel
    if let seconds = invocation.timeout { options.seconds = seconds }
    let runner = TestRunner(options, reports: invocation.reports(console))
    return try await runner.run(invocation.arguments).failed > 0 ? .failed : .done
  }
}

extension Invocation {
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
