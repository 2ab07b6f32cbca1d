package import Automation
import Core
package import Coverage
import Files
package import HostLoop
import LocalTenant
import Lua
import LuaJobs
import LuaKit
package import ScriptHost
import Terminal

/// Runs tests in this process.
@HostActor
package final class LocalBench: TestBench {
  package struct Options: Sendable {
    package var configuration: ScriptHost.Configuration
    /// The time limit of one test, in seconds.
    package var seconds = 60.0
    package var logLevel = Console.Level.info
    /// Gets the host of a test before it runs, and the path of its file.
    package var onRun: (@HostActor @Sendable (ScriptHost, _ path: String) -> Void)?
    /// The signal that stops a script that computes without waiting.
    package var stopSignal: Int32
    /// The Lua text of a file.
    package var read: @HostActor @Sendable (_ path: String) throws -> [UInt8]

    package init(
      _ configuration: ScriptHost.Configuration, stopSignal: Int32,
      read: @escaping @HostActor @Sendable (_ path: String) throws -> [UInt8]
    ) {
      self.configuration = configuration
      self.stopSignal = stopSignal
      self.read = read
    }
  }

  private static let outputLimit = 256 << 10

  private let options: Options
  /// Gets the lines that the tests run; nil: nobody counts them.
  private let coverage: Coverage?

  package init(_ options: Options, coverage: Coverage? = nil) {
    self.options = options
    self.coverage = coverage
  }

  package func load(_ file: TestFile) async throws -> LoadedTests {
    let plan = TestPlan()
    let outcome = try await outcome(of: file, plan, names: [], line: 0) {}
    let cases = plan.tests.enumerated().map { number, test in
      TestCase(
        file: file, number: number, names: test.names, line: Self.line(of: test.place), isPending: test.isPending)
    }
    return LoadedTests(cases: cases, failure: outcome.status == .failed ? outcome : nil)
  }

  package func run(_ test: TestCase) async throws -> TestOutcome {
    let plan = TestPlan()
    return try await outcome(of: test.file, plan, names: test.names, line: test.line) {
      guard plan.tests.count > test.number, plan.tests[test.number].names == test.names else {
        throw LuaError(
          code: "other_tests", message: "\(test.file.path) declares other tests each time it is loaded",
          hint: "what it declares must not depend on chance or time")
      }
      try await plan.run(plan.tests[test.number])
    }
  }

  private func outcome(
    of file: TestFile, _ plan: TestPlan, names: [String], line: Int,
    _ body: @escaping @HostActor @Sendable () async throws -> Void
  ) async throws -> TestOutcome {
    let start = HostLoop.uptime
    let source = try options.read(file.path)
    let folder = try Self.makeFolder()
    defer { TemporaryPlace.remove(folder) }
    var configuration = options.configuration
    configuration.session.importsFolder = folder
    configuration.session.storePath = nil
    let (ended, output) = try await StandardOutput.captured(limit: Self.outputLimit) {
      var failure: LuaError?
      let tenant = try LocalTenant()
      defer { tenant.stop() }
      let console = Console(level: options.logLevel, isQuiet: false) { StandardOutput.write($0) }
      let host = try ScriptHost(configuration, console: console, tenant: tenant)
      defer { host.close() }
      host.state.obey(signal: options.stopSignal)
      try host.beginCoverage(into: coverage)
      if !names.isEmpty { options.onRun?(host, file.path) }
      defer { host.endCoverage(of: file.path) }
      do {
        try await TimeLimit.run(seconds: options.seconds, signal: options.stopSignal) {
          try await host.declareTests(source, path: file.path, in: plan, stopSignal: self.options.stopSignal)
          try await body()
        }
      } catch let error as LuaError { failure = error }
      return (failure: failure, requests: try tenant.requests())
    }
    var outcome = TestOutcome(
      file: file.path, names: names, line: line, status: ended.failure == nil ? .passed : .failed,
      seconds: HostLoop.uptime - start)
    guard var failure = ended.failure else { return outcome }
    // The value belonged to the state, which no longer exists.
    failure.value = nil
    outcome.failure = failure
    outcome.output = output
    outcome.requests = ended.requests
    outcome.scripts = plan.scriptRuns
    let place = SourcePlace(of: failure, in: file, read: options.read)
    outcome.place = place?.description ?? (line > 0 ? "\(file.path):\(line)" : nil)
    outcome.sourceLine = place?.text
    if let place, place.path != file.path { outcome.caller = place.caller(in: failure, file) }
    return outcome
  }

  private static func makeFolder() throws -> String {
    do { return try TemporaryPlace.makeFolder("b2c-run-test-") } catch {
      throw LuaError(
        code: "no_folder", message: "cannot make a folder in \(TemporaryPlace.folder): \(error.reason)",
        hint: "the variable TMPDIR names another place")
    }
  }

  private static func line(of place: String) -> Int { place.split(separator: ":").last.flatMap { Int($0) } ?? 0 }
}
