import Core
import Glibc
package import HostLoop
import JSON
import JobProcesses
import Jobs
import Lua

/// Runs tests in a process of its own, so that the results of the others are told if a test ends the process. Another process
/// then takes its place.
@HostActor
package final class WorkerBench: TestBench {
  private let program: String
  private let arguments: [String]
  private let environment: [String]
  private var process: ScriptProcess?
  private var answer: CancellableWait<Answer>?

  private enum Answer: Sendable {
    case message(JSON)
    case end(ProcessEnd)
  }

  /// - Parameter arguments: those of this process. With the variable of `TestDesk` they start a process that serves it.
  package init(_ program: String, _ arguments: [String], environment: [String]) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
  }

  package func load(_ file: TestFile) async throws -> LoadedTests {
    let start = HostLoop.uptime
    switch try await ask(.load(file)) {
    case .message(let json):
      return LoadedTests(
        cases: (json["cases"]?.array ?? []).map { TestCase($0, of: file) }, failure: TestOutcome(json["outcome"]))
    case .end(let end):
      return LoadedTests(cases: [], failure: try outcome(end, file, names: [], line: 0, HostLoop.uptime - start))
    }
  }

  package func run(_ test: TestCase) async throws -> TestOutcome {
    let start = HostLoop.uptime
    switch try await ask(.run(test)) {
    case .message(let json):
      guard let outcome = TestOutcome(json["outcome"]) else { throw Self.brokenAnswer }
      return outcome
    case .end(let end): return try outcome(end, test.file, names: test.names, line: test.line, HostLoop.uptime - start)
    }
  }

  /// Ends the process of the tests.
  package func close() {
    process?.stop(kill: false)
    process = nil
  }

  private func ask(_ request: WorkerRequest) async throws -> Answer {
    let wait = CancellableWait<Answer>()
    answer = wait
    defer { answer = nil }
    let process = try self.process ?? start()
    self.process = process
    process.send(request.json)
    let answer = try await wait.value()
    switch answer {
    case .message(let json): if let error = LuaError(json["error"]) { throw error }
    case .end: self.process = nil
    }
    return answer
  }

  private func start() throws(JobError) -> ScriptProcess {
    try ScriptProcess(
      program, arguments, environment: environment + ["\(TestDesk.variable)=1"], in: ".", output: nil, context: nil,
      onMessage: { [weak self] in self?.answer?.finish(.success(.message($0))) },
      onEnd: { [weak self] in self?.answer?.finish(.success(.end($0))) })
  }

  /// The outcome of a test that has ended the process.
  private func outcome(
    _ end: ProcessEnd, _ file: TestFile, names: [String], line: Int, _ seconds: Double
  ) throws -> TestOutcome {
    var outcome = TestOutcome(file: file.path, names: names, line: line, status: .failed, seconds: seconds)
    outcome.place = line > 0 ? "\(file.path):\(line)" : nil
    let subject = names.isEmpty ? "the file" : "the test"
    switch end {
    // The same signal has come to this process, or is on its way.
    case .signal(SIGINT), .signal(SIGTERM), .signal(SIGHUP): throw CancellationError()
    case .signal(let number):
      let name = strsignal(number).map { " (\(String(cString: $0)))" } ?? ""
      outcome.failure = LuaError(
        code: "process_ended", message: "\(subject) ended its process by signal \(number)\(name)",
        hint: number == SIGKILL
          ? "the system may have had no memory left; --memory SIZE limits the memory of a test"
          : "no script should be able to do this: report it, with the test")
    case .status(let status):
      outcome.failure = LuaError(
        code: "process_ended", message: "\(subject) ended its process with status \(status)",
        hint: "standard error has the reason")
    case .unknown: outcome.failure = LuaError(code: "process_ended", message: "\(subject) ended its process")
    }
    return outcome
  }

  private static let brokenAnswer = LuaError(
    code: "broken_answer", message: "the process of the tests gave an answer that cannot be read")
}
