package import HostLoop
import Lua
import LuaKit

/// Runs test files: each test in a new Lua state, with a new local tenant in memory.
@HostActor
package final class TestRunner {
  /// The suffix of the names of test files.
  package nonisolated static let fileEnding = TestFile.suffix

  private let bench: any TestBench
  private let selection: TestSelection
  private let reports: [any TestReport]
  private var totals = TestTotals()

  package init(_ bench: any TestBench, _ selection: TestSelection, reports: [any TestReport]) {
    self.bench = bench
    self.selection = selection
    self.reports = reports
  }

  /// Runs the tests in files and folders; an empty list means the current folder. The reports are ended in any case.
  /// - Throws: `usage` if there is nothing to test, and `CancellationError`.
  package func run(_ paths: [String]) async throws -> TestTotals {
    let start = HostLoop.uptime
    let files = try TestFile.find(paths)
    var broken: [TestOutcome] = []
    var cases: [TestCase] = []
    for file in files {
      let loaded = try await bench.load(file)
      if let failure = loaded.failure { broken.append(failure) }
      cases += loaded.cases
    }
    let chosen = try choose(cases, orElse: broken)
    for report in reports { report.begin(broken.count + chosen.count) }
    defer {
      totals.seconds = HostLoop.uptime - start
      for report in reports { report.end(totals) }
    }
    for outcome in broken { add(outcome) }
    for test in chosen {
      if selection.endsAtFailure, totals.failed > 0 { break }
      add(try await run(test))
    }
    return totals
  }

  /// The names of the chosen tests with the places of their declarations: `import_test.lua:12: imports › the rows`.
  package func list(_ paths: [String]) async throws -> [String] {
    var cases: [TestCase] = []
    for file in try TestFile.find(paths) {
      let loaded = try await bench.load(file)
      if let failure = loaded.failure?.failure { throw failure }
      cases += loaded.cases
    }
    return try choose(cases, orElse: []).map { "\($0.file.path):\($0.line): \($0.names.joined(separator: " › "))" }
  }

  private func choose(_ cases: [TestCase], orElse broken: [TestOutcome]) throws -> [TestCase] {
    let chosen = cases.filter { selection.contains($0.names) }
    guard chosen.isEmpty, broken.isEmpty else { return chosen }
    throw selection.refusal(cases.count)
      ?? .usage("test: no tests: the files declare none", hint: "it(\"what holds\", function() … end)")
  }

  private func add(_ outcome: TestOutcome) {
    totals.add(outcome.status)
    for report in reports { report.add(outcome) }
  }

  private func run(_ test: TestCase) async throws -> TestOutcome {
    guard !test.isPending else {
      return TestOutcome(file: test.file.path, names: test.names, line: test.line, status: .pending, seconds: 0)
    }
    return try await bench.run(test)
  }
}
